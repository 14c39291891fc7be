// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE

/// Keys in files that are not encrypted, one for each, in a directory that only its owner may read.
///
/// Whoever gets hold of a file, from a backup for instance, has the key: use ``EncryptedFileKeyStore`` where a passphrase
/// or a credential can be had. Any number of tasks and processes may use one directory at once.
public struct UnencryptedFileKeyStore: KeyStore {
    private let files: KeyFiles<UnencryptedKeyFileCodec>

    /// Names a directory; nothing is read yet.
    ///
    /// - Parameter directory: A path; the last component is made, with mode 0700, when the first key is.
    public init(directory: String) {
        files = KeyFiles(path: directory, codec: UnencryptedKeyFileCodec(), patience: .seconds(30))
    }

    /// Opens the key of a name, or makes it, in one step, and says which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256.
    ///   - report: Told ``KeyEvent/Kind/made`` when this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``,
    ///   ``KeyStoreError/Code/unsupportedAlgorithm``.
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
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await files.load(alias)
    }

    /// The names that have a key file.
    ///
    /// - Returns: The names in ascending order.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await files.aliases()
    }

    /// Removes the key file of a name, if there is one.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await files.delete(alias)
    }
}
#endif
