// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// A rate limit: a number of requests at once, and as many again in each period.
public struct RateLimit: Sendable, Hashable, CustomStringConvertible {
    /// The number of requests at once, and in each period.
    public let count: Int
    /// The time after which an exhausted limit is fully available again.
    public let period: Duration

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - count: The number at once, and in each period: at least one, and at most one for each millisecond of the
    ///     period.
    ///   - period: From one second to one day. Values outside these ranges return `nil`.
    public init?(_ count: Int, per period: Duration) {
        guard period >= .seconds(1), period <= .seconds(86_400), count >= 1, period / count >= .milliseconds(1)
        else { return nil }
        self.count = count
        self.period = period
    }

    /// The time until one more request is allowed.
    var interval: Duration { period / count }

    /// Takes one request from a bucket, of which only the time is known at which it is full again (the generic cell rate
    /// algorithm of ATM).
    ///
    /// - Parameters:
    ///   - fullAt: When the bucket is full again, and then with the request; `nil` for a full one. If the request has
    ///     to wait, store it too: it changes when the clock was set back.
    ///   - now: The time.
    ///   - difference: How far ahead the stored time may be although the clock was not set back: a request that began
    ///     earlier may come here later, and a bucket in a database may have been changed by another server.
    /// - Returns: How long the request must wait; `nil` if it may proceed.
    func take(
        from fullAt: inout Timestamp?,
        at now: Timestamp,
        clocksWithin difference: Duration = .seconds(60)
    ) -> Duration? {
        let end = now + period
        // If the clock was set back, an empty bucket fills from now on: not only when the clock has caught up.
        if let known = fullAt, known > end + difference { fullAt = end }
        let full = max(fullAt ?? now, now) + interval
        guard full <= end else { return full - end }
        fullAt = full
        return nil
    }

    /// The count and the period.
    public var description: String { "\(count) in \(period)" }
}
