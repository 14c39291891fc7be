// SPDX-License-Identifier: Apache-2.0

/// Limits the sign-ins for one reason: a server that is never satisfied must not open a browser for each call.
struct BrowserLimit {
    private static let period = Duration.seconds(3600)

    private let maximumCount: Int
    private var times: [Duration] = []

    /// - Parameter maximumCount: How many sign-ins there may be in an hour.
    init(_ maximumCount: Int = 3) {
        self.maximumCount = maximumCount
    }

    /// Whether another sign-in may begin.
    func allowsAnother(at now: Duration) -> Bool {
        recent(now).count < maximumCount
    }

    /// Whether no sign-in counts any more.
    func isOver(at now: Duration) -> Bool {
        recent(now).isEmpty
    }

    /// Counts a sign-in.
    mutating func count(at now: Duration) {
        times = recent(now) + [now]
    }

    /// Removes the newest sign-in from the count.
    mutating func takeBack() {
        _ = times.popLast()
    }

    private func recent(_ now: Duration) -> [Duration] {
        times.filter { now - $0 < Self.period }
    }
}
