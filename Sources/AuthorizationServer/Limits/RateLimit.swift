// SPDX-License-Identifier: Apache-2.0

/// How often something may happen: so many times at once, and as many again in each period.
public struct RateLimit: Sendable, Hashable, CustomStringConvertible {
    /// How many at once, and in each period.
    public let count: Int
    /// The time after which a limit that was used up is whole again.
    public let period: Duration

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - count: How many at once, and in each period: at least one, and at most one for each millisecond of it.
    ///   - period: From one second to one day; `nil` is returned for what is outside.
    public init?(_ count: Int, per period: Duration) {
        guard period >= .seconds(1), period <= .seconds(86_400), count >= 1, period / count >= .milliseconds(1)
        else { return nil }
        self.count = count
        self.period = period
    }

    /// How long it takes until one more is allowed.
    var interval: Duration { period / count }

    /// The count and the period.
    public var description: String { "\(count) in \(period)" }
}
