// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import JOSE
public import SigningKeys

/// Software keys whose private keys are stored in the database, encrypted by a `KeyWrapper`.
public struct DatabaseSigningKeys: SigningKeyProvider {
    let sealer: any KeyWrapper

    /// Stores keys encrypted.
    ///
    /// - Parameter sealer: Encrypts and decrypts the keys.
    public init(_ sealer: any KeyWrapper) {
        self.sealer = sealer
    }

    /// Generates a software key.
    ///
    /// - Parameter algorithm: The algorithm of the key.
    /// - Returns: The key, and the encrypted key.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    public func makeKey(_ algorithm: SignatureAlgorithm) async throws(KeyStoreError) -> ProvidedSigningKey {
        // Generating an RSA key takes half a second: not on the threads that handle requests.
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

    /// Decrypts a key.
    ///
    /// - Parameters:
    ///   - sealed: The encrypted key.
    ///   - keyID: Its thumbprint, which decryption authenticates.
    /// - Returns: The key.
    /// - Throws: ``/SigningKeys/KeyStoreError``.
    public func open(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) -> any SigningKey {
        guard SigningKeyReference(sealed) == nil else {
            throw KeyStoreError(
                .malformedKeyFile,
                "a key that signs tokens is in a device, but no device is configured"
            )
        }
        return try sealer.open(sealed, as: KeyAlias(keyID))
    }

    /// Does nothing: a decrypted key is in memory.
    ///
    /// - Parameters:
    ///   - sealed: The encrypted key.
    ///   - keyID: Its thumbprint.
    /// - Throws: Nothing.
    public func check(_ sealed: WrappedKey, keyID: String) async throws(KeyStoreError) {}

    /// Does nothing: the key exists only in the database.
    ///
    /// - Parameter sealed: The encrypted key.
    /// - Throws: Nothing.
    public func delete(_ sealed: WrappedKey) async throws(KeyStoreError) {}
}

extension KeyWrapper {
    /// Encrypts a key under its thumbprint, and decrypts it once as a test: a key that cannot be decrypted must never
    /// sign.
    func sealTried(_ key: SoftwareSigningKey) throws(KeyStoreError) -> WrappedKey {
        let alias = try KeyAlias(key.keyID)
        let sealed = try seal(key, as: alias)
        _ = try open(sealed, as: alias)
        return sealed
    }
}
