// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
import OAuthCrypto

/// Keys in encrypted files, one per key, in a directory that only its owner may read.
///
/// Any number of tasks and processes may use a directory at once. A file is encrypted with AES-256-GCM under a key
/// derived from the secret. It is created atomically and never overwritten. All keys of a directory have the same
/// secret. With a passphrase, opening the first key takes about a quarter of a second.
public struct EncryptedFileKeyStore: KeyStore {
    private let files: KeyFiles<EncryptedKeyFileCodec>

    /// Makes a store for a directory; reads nothing yet.
    ///
    /// - Parameters:
    ///   - directory: A path; its last component is created with mode 0700 for the first key.
    ///   - secret: The secret that decrypts the keys: a passphrase or a credential.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret``.
    public init(directory: String, secret: KeyFileSecret) throws(KeyStoreError) {
        try self.init(
            directory: directory,
            secret: secret,
            scryptCost: ScryptParameters.passphrase.cost,
            timeout: .seconds(30)
        )
    }

    init(
        directory: String,
        secret: KeyFileSecret,
        scryptCost: Int,
        timeout: Duration
    ) throws(KeyStoreError) {
        try secret.validate()
        let parameters = ScryptParameters(cost: scryptCost, blockSize: 8, parallelism: 1)
        let wrappingKeys = WrappingKeyCache(secret: secret, parameters: parameters)
        files = KeyFiles(
            path: directory,
            codec: EncryptedKeyFileCodec(wrappingKeys: wrappingKeys),
            timeout: timeout
        )
    }

    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256.
    ///   - report: Called with ``KeyEvent/Kind/made`` if this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase``, also if the secret does not decrypt the
    ///   other keys of the directory, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``,
    ///   ``KeyStoreError/Code/unsupportedAlgorithm``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        try await files.loadOrGenerate(alias, algorithm, reporting: report)
    }

    /// Opens the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` if the alias has none.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase``, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await files.load(alias)
    }

    /// The aliases that have a key file.
    ///
    /// - Returns: The aliases in ascending order; the secret is not needed.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await files.aliases()
    }

    /// Deletes the key file of an alias, if there is one; the secret is not needed.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await files.delete(alias)
    }
}
#endif
