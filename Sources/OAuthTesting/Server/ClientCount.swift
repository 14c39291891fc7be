// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the clients of a server: each has its own random bytes, or their proofs would count as replays.
final class ClientCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
