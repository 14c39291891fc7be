// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import Synchronization

/// Holds addresses to a ``RateLimit``: a token bucket each, in bounded memory.
///
/// Of a bucket only the time is kept at which it is full again (the generic cell rate algorithm of ATM), 24 bytes an address.
final class AddressLimiter: Sendable {
    private let limit: RateLimit?
    private let maximumAddresses: Int
    private let fullAt = Mutex<[IPAddress: Timestamp]>([:])

    init(_ limit: RateLimit?, maximumAddresses: Int = 100_000) {
        self.limit = limit
        self.maximumAddresses = maximumAddresses
    }

    /// How many addresses are remembered.
    var count: Int { fullAt.withLock { $0.count } }

    /// Counts one more of an address.
    ///
    /// - Returns: How long it has to wait instead; `nil` when it may go on, or has no address to be counted by.
    func take(_ address: IPAddress?, at now: Timestamp) -> Duration? {
        guard let limit, let subscriber = address?.subscriber else { return nil }
        return fullAt.withLock { fullAt in
            // A clock that was set back makes nobody wait for longer than the period.
            let end = now + limit.period
            let full = min(max(fullAt[subscriber] ?? now, now), end) + limit.interval
            guard full <= end else { return full - end }
            if fullAt.count >= maximumAddresses { makeRoom(in: &fullAt, at: now, limit) }
            fullAt[subscriber] = full
            return nil
        }
    }

    /// What was counted last turned out to be harmless.
    func giveBack(_ address: IPAddress?) {
        guard let limit, let subscriber = address?.subscriber else { return }
        fullAt.withLock { fullAt in
            guard let full = fullAt[subscriber] else { return }
            fullAt[subscriber] = full - limit.interval
        }
    }

    /// Forgets the buckets that are full, and when that is not half of them those that are fuller than half; all when an
    /// attacker has so many networks that nothing else is left.
    private func makeRoom(in fullAt: inout [IPAddress: Timestamp], at now: Timestamp, _ limit: RateLimit) {
        for threshold in [Duration.zero, limit.period / 2] where fullAt.count > maximumAddresses / 2 {
            fullAt = fullAt.filter { $0.value - now > threshold }
        }
        if fullAt.count > maximumAddresses / 2 { fullAt.removeAll() }
    }
}
