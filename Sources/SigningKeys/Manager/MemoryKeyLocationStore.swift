// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Stores key locations in the memory of this process: for keys that end with it too, and for tests.
public final class MemoryKeyLocationStore: KeyLocationStore {
    private let places = Mutex<[KeyAlias: String]>([:])
    private let turns = AsyncMutex()

    /// Makes an empty store.
    public init() {}

    /// The location of the key of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The name of the location; `nil` if none is recorded.
    /// - Throws: Nothing.
    public func place(of alias: KeyAlias) async throws(KeyStoreError) -> String? {
        places.withLock { $0[alias] }
    }

    /// The aliases whose location is recorded.
    ///
    /// - Returns: The aliases in ascending order.
    /// - Throws: Nothing.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        places.withLock { $0.keys.sorted() }
    }

    /// Runs a function while no other task runs one.
    ///
    /// - Parameter body: The function to run.
    /// - Returns: What the body returned.
    /// - Throws: ``KeyStoreError`` of the body.
    public func withLock<Value: Sendable>(
        _ body: () async throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        await turns.begin()
        defer { turns.end() }
        return try await body()
    }

    /// Records the location of an alias that has none.
    ///
    /// - Parameters:
    ///   - place: The name of the location.
    ///   - alias: The name of the key.
    /// - Throws: Nothing.
    public func record(_ place: String, of alias: KeyAlias) async throws(KeyStoreError) {
        places.withLock { $0[alias] = place }
    }

    /// Deletes the recorded location of an alias.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: Nothing.
    public func forget(_ alias: KeyAlias) async throws(KeyStoreError) {
        places.withLock { $0[alias] = nil }
    }
}
