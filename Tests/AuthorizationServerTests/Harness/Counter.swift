// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts calls from any thread.
final class Counter: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    /// How often it counted since the last time.
    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}
