// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
import Synchronization

/// Enforces a ``RateLimit`` per key: one token bucket each, in bounded memory.
///
/// See ``RateLimit/take(from:at:clocksWithin:)`` for what a bucket is.
package final class KeyedLimiter<Key: Hashable & Sendable>: Sendable {
    private let limit: RateLimit?
    private let maximumKeys: Int
    private let fullAt = Mutex<[Key: Timestamp]>([:])

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - limit: The limit of each key; `nil` for none.
    ///   - maximumKeys: How many keys have a bucket at most.
    package init(_ limit: RateLimit?, maximumKeys: Int = 100_000) {
        self.limit = limit
        self.maximumKeys = maximumKeys
    }

    /// The number of keys with a bucket.
    var count: Int { fullAt.withLock { $0.count } }

    /// Counts one request of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - now: The time.
    /// - Returns: How long it must wait; `nil` if it may proceed.
    package func take(_ key: Key, at now: Timestamp) -> Duration? {
        guard let limit else { return nil }
        return fullAt.withLock { fullAt in
            var full = fullAt[key]
            if let wait = limit.take(from: &full, at: now) {
                // Only an empty bucket makes anyone wait, so there is one, and no room to make.
                fullAt[key] = full
                return wait
            }
            if fullAt.count >= maximumKeys { makeRoom(in: &fullAt, at: now, limit) }
            fullAt[key] = full
            return nil
        }
    }

    /// The last counted request was harmless.
    func giveBack(_ key: Key) {
        guard let limit else { return }
        fullAt.withLock { fullAt in
            guard let full = fullAt[key] else { return }
            fullAt[key] = full - limit.interval
        }
    }

    /// Evicts full buckets.
    ///
    /// If that frees less than half, also those that are more than half full; if an attacker has so many keys that this
    /// is not enough, all.
    private func makeRoom(in fullAt: inout [Key: Timestamp], at now: Timestamp, _ limit: RateLimit) {
        for threshold in [Duration.zero, limit.period / 2] where fullAt.count > maximumKeys / 2 {
            fullAt = fullAt.filter { $0.value - now > threshold }
        }
        if fullAt.count > maximumKeys / 2 { fullAt.removeAll() }
    }
}
