// SPDX-License-Identifier: Apache-2.0

/// Stores the location of each key, so that a disconnected device is noticed.
///
/// A record contains no secret. It must live as long as the keys: without it, a ``KeyManager`` finds a key only while
/// its store is available.
public protocol KeyLocationStore: Sendable {
    /// The location of the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The name of the ``KeyLocation``; `nil` if none is recorded.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func place(of alias: KeyAlias) async throws(KeyStoreError) -> String?

    /// The aliases whose location is recorded.
    ///
    /// - Returns: The aliases in ascending order.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func aliases() async throws(KeyStoreError) -> [KeyAlias]

    /// Runs a function while no other task or process that shares the records runs one.
    ///
    /// - Parameter body: The function to run, once; it does not call this again.
    /// - Returns: What the body returned.
    /// - Throws: ``KeyStoreError`` of the body, and the codes of the store.
    func withLock<Value: Sendable>(
        _ body: () async throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value

    /// Records the location of an alias that has none; called within ``withLock(_:)``.
    ///
    /// When it returns, the record is persistent.
    ///
    /// - Parameters:
    ///   - place: The name of the ``KeyLocation``.
    ///   - alias: The name of the key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func record(_ place: String, of alias: KeyAlias) async throws(KeyStoreError)

    /// Deletes the recorded location of an alias; called within ``withLock(_:)``.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func forget(_ alias: KeyAlias) async throws(KeyStoreError)
}
