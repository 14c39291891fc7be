// SPDX-License-Identifier: Apache-2.0

/// Limits the sign-ins for one demand: a server that is never content must not open a browser for each call.
struct BrowserLimit {
    private static let maximumCount = 3
    private static let period = Duration.seconds(3600)

    private var times: [Duration] = []

    /// Whether another sign-in may begin.
    func allowsAnother(at now: Duration) -> Bool {
        recent(now).count < Self.maximumCount
    }

    /// Whether no sign-in counts any more.
    func isOver(at now: Duration) -> Bool {
        recent(now).isEmpty
    }

    /// Counts a sign-in.
    mutating func count(at now: Duration) {
        times = recent(now) + [now]
    }

    private func recent(_ now: Duration) -> [Duration] {
        times.filter { now - $0 < Self.period }
    }
}
