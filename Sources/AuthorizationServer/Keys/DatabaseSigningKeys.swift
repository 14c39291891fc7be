// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import JOSE
public import SigningKeys

/// Keys in software, which are stored whole, as a `KeyWrapper` seals them.
public struct DatabaseSigningKeys: SigningKeyProvider {
    let sealer: any KeyWrapper

    /// Keeps keys sealed.
    ///
    /// - Parameter sealer: What seals and opens them.
    public init(_ sealer: any KeyWrapper) {
        self.sealer = sealer
    }

    /// Makes a key in software.
    ///
    /// - Parameter algorithm: What it is to sign with.
    /// - Returns: The key, and the key sealed.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    public func makeKey(_ algorithm: SignatureAlgorithm) async throws(KeyStoreError) -> ProvidedSigningKey {
        // A key of RSA takes half a second: not on the threads that answer requests.
        let made: Result<SoftwareSigningKey, KeyStoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(
                    returning: Result { () throws(KeyStoreError) in try SoftwareSigningKey.generate(algorithm) }
                )
            }
        }
        let key = try made.get()
        return ProvidedSigningKey(key: key, sealed: try sealer.sealTried(key))
    }

    /// Opens a key.
    ///
    /// - Parameters:
    ///   - sealed: The key as it was sealed.
    ///   - keyID: Its thumbprint, without which it does not open.
    /// - Returns: The key.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    public func open(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) -> any SigningKey {
        guard SigningKeyReference(sealed) == nil else {
            throw KeyStoreError(
                .malformedKeyFile,
                "a key that signs tokens lives in a device, and nothing says in which"
            )
        }
        return try sealer.open(sealed, as: KeyAlias(keyID))
    }

    /// Nothing: what was opened is in memory.
    ///
    /// - Parameters:
    ///   - sealed: The key as it was sealed.
    ///   - keyID: Its thumbprint.
    /// - Throws: Nothing.
    public func check(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) {}

    /// Nothing: all there is of a key is what is stored.
    ///
    /// - Parameter sealed: The key as it was sealed.
    /// - Throws: Nothing.
    public func delete(_ sealed: WrappedKey) async throws(KeyStoreError) {}
}

extension KeyWrapper {
    /// A key sealed under its thumbprint, which is tried before it is stored: what does not open must never sign.
    func sealTried(_ key: SoftwareSigningKey) throws(KeyStoreError) -> WrappedKey {
        let alias = try KeyAlias(key.keyID)
        let sealed = try seal(key, as: alias)
        _ = try open(sealed, as: alias)
        return sealed
    }
}
