// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import SigningKeys

/// Keys in a device, such as a PKCS #11 token: what is stored is where they are, and nothing secret.
///
/// Keys from before the device, which are stored whole, are opened as long as they are needed; new ones are made in the device.
public struct DeviceSigningKeys: SigningKeyProvider {
    private let store: any KeyStore
    private let earlier: (any KeyWrapper)?
    private let entropy: any Entropy

    /// Keeps keys in a device.
    ///
    /// - Parameters:
    ///   - store: The device. Processes with one ``/ServerStorage/SigningKeyStore`` all have the same one.
    ///   - earlier: What opens keys that are stored whole; `nil` when there are none any more.
    ///   - entropy: What the names of keys are made of.
    public init(_ store: any KeyStore, earlier: (any KeyWrapper)? = nil, entropy: any Entropy = SystemEntropy()) {
        (self.store, self.earlier, self.entropy) = (store, earlier, entropy)
    }

    /// Makes a key in the device, under a random name.
    ///
    /// - Parameter algorithm: What it is to sign with.
    /// - Returns: The key, and its name as it is stored.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    public func makeKey(_ algorithm: SignatureAlgorithm) async throws(KeyStoreError) -> ProvidedSigningKey {
        let reference = try SigningKeyReference(algorithm, entropy: entropy)
        let key = try await store.loadOrGenerate(alias: reference.alias, algorithm: algorithm)
        return ProvidedSigningKey(key: key, sealed: reference.sealed)
    }

    /// Opens a key.
    ///
    /// - Parameters:
    ///   - sealed: What is stored of it.
    ///   - keyID: Its thumbprint.
    /// - Returns: The key.
    /// - Throws: ``/SigningKeys/KeyStoreError`` – ``/SigningKeys/KeyStoreError/Code/keyLost``,
    ///   ``/SigningKeys/KeyStoreError/Code/deviceUnavailable``, and the other codes of the device.
    public func open(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) -> any SigningKey {
        if let reference = SigningKeyReference(sealed) { return try await load(reference) }
        guard let earlier else {
            throw KeyStoreError(
                .wrongPassphrase,
                "a key that signs tokens is in the database, and nothing says what it is encrypted with"
            )
        }
        return try earlier.open(sealed, as: KeyAlias(keyID))
    }

    /// Looks whether the device has a key.
    ///
    /// - Parameters:
    ///   - sealed: What is stored of it.
    ///   - keyID: Its thumbprint.
    /// - Throws: ``/SigningKeys/KeyStoreError``, as ``open(_:keyID:)``.
    public func check(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) {
        guard let reference = SigningKeyReference(sealed) else { return }
        guard try await load(reference).keyID == keyID else { throw Self.lost(reference) }
    }

    /// Deletes a key from the device.
    ///
    /// - Parameter sealed: What is stored of it.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    public func delete(_ sealed: WrappedKey) async throws(KeyStoreError) {
        guard let reference = SigningKeyReference(sealed) else { return }
        try await store.delete(reference.alias)
    }

    private func load(_ reference: SigningKeyReference) async throws(KeyStoreError) -> any SigningKey {
        guard let key = try await store.load(reference.alias) else { throw Self.lost(reference) }
        return key
    }

    private static func lost(_ reference: SigningKeyReference) -> KeyStoreError {
        KeyStoreError(.keyLost, "the device does not have the key \(reference.alias), which signs tokens, any more")
    }
}
