// SPDX-License-Identifier: Apache-2.0

import ServerStorage
import Synchronization

/// A storage that counts how often it is called: each call is a round trip to a database.
final class CountedStorage: AuthorizationStorage {
    private let storage: any AuthorizationStorage
    private let calls = Mutex<[String]>([])
    private let intervention = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ storage: any AuthorizationStorage) {
        self.storage = storage
    }

    /// Notes a call, and leads to the storage.
    func count(_ name: String = #function) -> any AuthorizationStorage {
        calls.withLock { $0.append(name) }
        return storage
    }

    /// Lets something else happen between what the next request reads and what it changes.
    ///
    /// It is a step of a sign-in, or an authorization request. If this throws, its change fails.
    func beforeNextChange(_ body: @escaping @Sendable () async throws -> Void) {
        intervention.withLock { $0 = body }
    }

    /// What is to happen before this change, once.
    func intervene() async throws {
        let body = intervention.withLock { intervention in
            defer { intervention = nil }
            return intervention
        }
        try await body?()
    }

    /// The calls since this function was last called.
    func takeCalls() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}
