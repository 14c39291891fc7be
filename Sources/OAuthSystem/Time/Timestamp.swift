// SPDX-License-Identifier: Apache-2.0

/// A point in time, as milliseconds since 1970-01-01T00:00:00Z without leap seconds (`NumericDate`, RFC 7519 section
/// 2).
///
/// Arithmetic saturates: a malicious `exp` cannot cause an overflow.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let millisecondsSince1970: Int64

    /// Creates a timestamp.
    ///
    /// - Parameter milliseconds: Milliseconds since 1970-01-01T00:00:00Z.
    public init(millisecondsSince1970 milliseconds: Int64) {
        millisecondsSince1970 = milliseconds
    }

    /// Creates a timestamp.
    ///
    /// - Parameter seconds: Seconds since 1970-01-01T00:00:00Z; values out of range become the nearest representable
    ///   one.
    public init(secondsSince1970 seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        millisecondsSince1970 = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var secondsSince1970: Int64 {
        let quotient = millisecondsSince1970 / 1000
        return millisecondsSince1970 % 1000 < 0 ? quotient - 1 : quotient
    }

    /// The timestamp a duration later.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = time.millisecondsSince1970.addingReportingOverflow(duration.milliseconds)
        return Timestamp(millisecondsSince1970: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The timestamp a duration earlier.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        time + (.zero - duration)
    }

    /// The duration between two timestamps; negative if the first is earlier.
    public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        let (difference, overflow) = later.millisecondsSince1970
            .subtractingReportingOverflow(earlier.millisecondsSince1970)
        return .milliseconds(overflow ? (later < earlier ? .min : .max) : difference)
    }

    /// Whether the first timestamp is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}

extension Duration {
    /// Whole milliseconds, rounded toward zero; values out of range become the nearest representable one.
    fileprivate var milliseconds: Int64 {
        // 10^15 attoseconds are 5^15 units of 2^15 attoseconds: up to 84 hours this avoids a 128-bit division.
        if let rest = Int64(exactly: attoseconds >> 15), rest >= 0 { return rest / 30_517_578_125 }
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, tooLarge) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return tooLarge ? (seconds < 0 ? .min : .max) : sum
    }
}
