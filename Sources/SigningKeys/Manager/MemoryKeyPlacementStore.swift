// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Records of places in the memory of this process: for keys that end with it too, and for tests.
public final class MemoryKeyPlacementStore: KeyPlacementStore {
    private let places = Mutex<[KeyAlias: String]>([:])
    private let turns = Turns()

    /// Makes an empty store.
    public init() {}

    /// The place of the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The name of the place; `nil` when nothing is recorded.
    /// - Throws: Nothing.
    public func place(of alias: KeyAlias) async throws(KeyStoreError) -> String? {
        places.withLock { $0[alias] }
    }

    /// The names of keys whose places are recorded.
    ///
    /// - Returns: The names in ascending order.
    /// - Throws: Nothing.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        places.withLock { $0.keys.sorted() }
    }

    /// Does something while no other task is in here.
    ///
    /// - Parameter body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: ``KeyStoreError`` of the body.
    public func withLock<Value: Sendable>(
        _ body: () async throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        await turns.begin()
        defer { turns.end() }
        return try await body()
    }

    /// Records a place for a name that has none.
    ///
    /// - Parameters:
    ///   - place: The name of the place.
    ///   - alias: The name of the key.
    /// - Throws: Nothing.
    public func record(_ place: String, of alias: KeyAlias) async throws(KeyStoreError) {
        places.withLock { $0[alias] = place }
    }

    /// Forgets the place of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: Nothing.
    public func forget(_ alias: KeyAlias) async throws(KeyStoreError) {
        places.withLock { $0[alias] = nil }
    }
}
