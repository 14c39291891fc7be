// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Synchronization

/// Holds whoever has a key to a ``RateLimit``: a token bucket each, in bounded memory.
///
/// Of a bucket only the time is kept at which it is full again (the generic cell rate algorithm of ATM).
final class KeyedLimiter<Key: Hashable & Sendable>: Sendable {
    private let limit: RateLimit?
    private let maximumKeys: Int
    private let fullAt = Mutex<[Key: Timestamp]>([:])

    init(_ limit: RateLimit?, maximumKeys: Int = 100_000) {
        self.limit = limit
        self.maximumKeys = maximumKeys
    }

    /// How many keys are remembered.
    var count: Int { fullAt.withLock { $0.count } }

    /// Counts one more of a key.
    ///
    /// - Returns: How long it has to wait instead; `nil` when it may go on.
    func take(_ key: Key, at now: Timestamp) -> Duration? {
        guard let limit else { return nil }
        return fullAt.withLock { fullAt in
            // A clock that was set back makes nobody wait for longer than the period.
            let end = now + limit.period
            let full = min(max(fullAt[key] ?? now, now), end) + limit.interval
            guard full <= end else { return full - end }
            if fullAt.count >= maximumKeys { makeRoom(in: &fullAt, at: now, limit) }
            fullAt[key] = full
            return nil
        }
    }

    /// What was counted last turned out to be harmless.
    func giveBack(_ key: Key) {
        guard let limit else { return }
        fullAt.withLock { fullAt in
            guard let full = fullAt[key] else { return }
            fullAt[key] = full - limit.interval
        }
    }

    /// Forgets the buckets that are full, and when that is not half of them those that are fuller than half; all when an
    /// attacker has so many keys that nothing else is left.
    private func makeRoom(in fullAt: inout [Key: Timestamp], at now: Timestamp, _ limit: RateLimit) {
        for threshold in [Duration.zero, limit.period / 2] where fullAt.count > maximumKeys / 2 {
            fullAt = fullAt.filter { $0.value - now > threshold }
        }
        if fullAt.count > maximumKeys / 2 { fullAt.removeAll() }
    }
}
