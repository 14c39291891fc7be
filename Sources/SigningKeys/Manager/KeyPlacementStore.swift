// SPDX-License-Identifier: Apache-2.0

/// Remembers in which place the key of each name lives, so that a device that is away is missed.
///
/// A record holds no secret. It must live as long as the keys: without it, a ``KeyManager`` finds a key only while its store
/// is there.
public protocol KeyPlacementStore: Sendable {
    /// The place of the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The name of the ``KeyPlace``; `nil` when nothing is recorded.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func place(of alias: KeyAlias) async throws(KeyStoreError) -> String?

    /// The names of keys whose places are recorded.
    ///
    /// - Returns: The names in ascending order.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func aliases() async throws(KeyStoreError) -> [KeyAlias]

    /// Does something while nobody else who shares the records is in here, of whatever task and process.
    ///
    /// - Parameter body: What to do, once; it does not call this again.
    /// - Returns: What the body returns.
    /// - Throws: ``KeyStoreError`` of the body, and the codes of the store.
    func withLock<Value: Sendable>(
        _ body: () async throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value

    /// Records a place for a name that has none; called within ``withLock(_:)``.
    ///
    /// When it returns, the record outlives the process.
    ///
    /// - Parameters:
    ///   - place: The name of the ``KeyPlace``.
    ///   - alias: The name of the key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func record(_ place: String, of alias: KeyAlias) async throws(KeyStoreError)

    /// Forgets the place of a name; called within ``withLock(_:)``.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` with the codes of the store.
    func forget(_ alias: KeyAlias) async throws(KeyStoreError)
}
