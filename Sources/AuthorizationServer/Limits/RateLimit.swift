// SPDX-License-Identifier: Apache-2.0

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

    /// The count and the period.
    public var description: String { "\(count) in \(period)" }
}
