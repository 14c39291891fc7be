// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts disconnected clients by reason.
final class ConnectionCutCounts: Sendable {
    private let counts = Mutex<[ConnectionCutReason: Int]>([:])

    subscript(reason: ConnectionCutReason) -> Int {
        counts.withLock { $0[reason] ?? 0 }
    }

    func add(_ reason: ConnectionCutReason) {
        counts.withLock { $0[reason, default: 0] += 1 }
    }
}
