// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
import OAuthCrypto

/// Keys in encrypted files, one for each, in a directory that only its owner may read.
///
/// Any number of tasks and processes may use one directory at once. A file is encrypted with AES-256-GCM under a key
/// derived from the secret, appears whole or not at all, and is never written over. All keys of a directory have one
/// secret. Opening the first key after the start with a passphrase takes about a quarter of a second.
public struct EncryptedFileKeyStore: KeyStore {
    private let files: KeyFiles<SealedKeyFileCodec>

    /// Names a directory and what opens its keys; nothing is read yet.
    ///
    /// - Parameters:
    ///   - directory: A path; the last component is made, with mode 0700, when the first key is.
    ///   - secret: What opens the keys: a passphrase or a credential.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret``.
    public init(directory: String, secret: KeyFileSecret) throws(KeyStoreError) {
        try self.init(
            directory: directory,
            secret: secret,
            scryptCost: ScryptParameters.passphrase.cost,
            patience: .seconds(30)
        )
    }

    init(
        directory: String,
        secret: KeyFileSecret,
        scryptCost: Int,
        patience: Duration
    ) throws(KeyStoreError) {
        try secret.validate()
        let parameters = ScryptParameters(cost: scryptCost, blockSize: 8, parallelism: 1)
        let wrappingKeys = WrappingKeyCache(secret: secret, parameters: parameters)
        files = KeyFiles(
            path: directory,
            codec: SealedKeyFileCodec(wrappingKeys: wrappingKeys),
            patience: patience
        )
    }

    /// Opens the key of a name, or makes it, in one step, and says which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256.
    ///   - report: Told ``KeyEvent/Kind/made`` when this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase`` also when the secret does not open the other
    ///   keys of the directory, ``KeyStoreError/Code/malformedKeyFile``, ``KeyStoreError/Code/insecurePermissions``,
    ///   ``KeyStoreError/Code/storageFailed``, ``KeyStoreError/Code/unsupportedAlgorithm``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        try await files.loadOrGenerate(alias, algorithm, reporting: report)
    }

    /// Opens the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` when the name has none.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/wrongPassphrase``, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await files.load(alias)
    }

    /// The names that have a key file.
    ///
    /// - Returns: The names in ascending order; the secret is not needed.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await files.aliases()
    }

    /// Removes the key file of a name, if there is one; the secret is not needed.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await files.delete(alias)
    }
}
#endif
