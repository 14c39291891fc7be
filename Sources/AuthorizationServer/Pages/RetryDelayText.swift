// SPDX-License-Identifier: Apache-2.0

/// A delay in words, rounded up so that the user does not retry too early.
struct RetryDelayText: CustomStringConvertible {
    /// Whole seconds, as in `Retry-After`.
    let seconds: Int64

    /// Takes a duration; less than one second becomes one second.
    init(_ duration: Duration) {
        let parts = duration.components
        let isWhole = parts.attoseconds <= 0
        let (roundedUp, overflows) = parts.seconds.addingReportingOverflow(isWhole ? 0 : 1)
        seconds = max(1, overflows ? parts.seconds : roundedUp)
    }

    /// "40 seconds", "5 minutes", "1 hour".
    var description: String {
        switch seconds {
        case ...90: Self.counted(seconds, "second")
        case ...5400: Self.counted(Self.dividing(seconds, by: 60), "minute")
        default: Self.counted(Self.dividing(seconds, by: 3600), "hour")
        }
    }

    private static func dividing(_ seconds: Int64, by unit: Int64) -> Int64 {
        seconds / unit + (seconds % unit == 0 ? 0 : 1)
    }

    private static func counted(_ count: Int64, _ unit: String) -> String {
        "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
}
