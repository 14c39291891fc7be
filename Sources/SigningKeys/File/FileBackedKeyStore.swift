// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import JOSE

/// A store with one file per key: it differs from the others in how a key becomes a file.
///
/// The errors that all of them throw: ``KeyStoreError/Code/malformedKeyFile``,
/// ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``, and
/// ``KeyStoreError/Code/unsupportedAlgorithm`` if a key is generated. Each store names its own.
protocol FileBackedKeyStore: KeyStore {
    associatedtype Codec: KeyFileCodec

    var files: KeyFiles<Codec> { get }
}

extension FileBackedKeyStore {
    /// Opens the key of an alias, or makes one, in one atomic step, and reports which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: The algorithm of the key.
    ///   - report: Called with ``KeyEvent/Kind/made`` if this call made the key.
    /// - Returns: The key.
    /// - Throws: ``KeyStoreError``, with the codes that the store names.
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
    /// - Throws: ``KeyStoreError``, with the codes that the store names.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await files.load(alias)
    }

    /// The aliases that have a key file; neither a secret nor a device is used.
    ///
    /// - Returns: The aliases in ascending order.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await files.aliases()
    }

    /// Deletes the key file of an alias, if there is one; neither a secret nor a device is needed.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await files.delete(alias)
    }
}
#endif
