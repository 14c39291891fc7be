// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE

/// Keys in unencrypted files, one per key, in a directory that only its owner may read.
///
/// Anyone who obtains a file, for example from a backup, has the key: use ``EncryptedFileKeyStore`` if a passphrase or
/// a credential is available. Any number of tasks and processes may use a directory at once.
public struct UnencryptedFileKeyStore: KeyStore {
    private let files: KeyFiles<UnencryptedKeyFileCodec>

    /// Makes a store for a directory; reads nothing yet.
    ///
    /// - Parameter directory: A path; its last component is created with mode 0700 for the first key.
    public init(directory: String) {
        files = KeyFiles(path: directory, codec: UnencryptedKeyFileCodec(), timeout: .seconds(30))
    }

    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256.
    ///   - report: Called with ``KeyEvent/Kind/made`` if this call made the key.
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

    /// Opens the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` if the alias has none.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await files.load(alias)
    }

    /// The aliases that have a key file.
    ///
    /// - Returns: The aliases in ascending order.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await files.aliases()
    }

    /// Deletes the key file of an alias, if there is one.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await files.delete(alias)
    }
}
#endif
