// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import SigningKeys

/// Keys in a device, such as a PKCS #11 token.
///
/// The database stores only their names, which are not secret.
///
/// Older keys that the database stores whole are still opened as long as they are needed. New keys are generated in the
/// device.
public struct DeviceSigningKeys: SigningKeyProvider {
    private let store: any KeyStore
    private let earlier: (any KeyWrapper)?
    private let entropy: any Entropy

    /// Keeps keys in a device.
    ///
    /// - Parameters:
    ///   - store: The device. Processes that share a ``/ServerStorage/SigningKeyStore`` must use the same device.
    ///   - earlier: Decrypts keys that the database stores whole; `nil` if there are none left.
    ///   - entropy: The source of key names.
    public init(_ store: any KeyStore, earlier: (any KeyWrapper)? = nil, entropy: any Entropy = SystemEntropy()) {
        (self.store, self.earlier, self.entropy) = (store, earlier, entropy)
    }

    /// Generates a key in the device, under a random name.
    ///
    /// - Parameter algorithm: The algorithm of the key.
    /// - Returns: The key, and its name as stored.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    public func makeKey(_ algorithm: SignatureAlgorithm) async throws(KeyStoreError) -> ProvidedSigningKey {
        let reference = try SigningKeyReference(algorithm, entropy: entropy)
        let key = try await store.loadOrGenerate(alias: reference.alias, algorithm: algorithm)
        return ProvidedSigningKey(key: key, sealed: reference.sealed)
    }

    /// Opens a key.
    ///
    /// - Parameters:
    ///   - sealed: The stored value of the key.
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

    /// Checks that the device has a key.
    ///
    /// - Parameters:
    ///   - sealed: The stored value of the key.
    ///   - keyID: Its thumbprint.
    /// - Throws: ``/SigningKeys/KeyStoreError``, as ``open(_:keyID:)``.
    public func check(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) {
        guard let reference = SigningKeyReference(sealed) else { return }
        guard try await load(reference).keyID == keyID else { throw Self.lost(reference) }
    }

    /// Deletes a key from the device.
    ///
    /// - Parameter sealed: The stored value of the key.
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
