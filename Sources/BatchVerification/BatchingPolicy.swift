// SPDX-License-Identifier: Apache-2.0

/// Decides whether a caller that could verify at once yields to other tasks first, from the results of earlier yields.
struct BatchingPolicy {
    /// If no caller came and none was busy for this long, the next caller is alone and does not yield.
    static let idleGap = Duration.microseconds(500)
    private static let shortestPause = 8
    private static let longestPause = 1024

    private var lastActivity: ContinuousClock.Instant?
    /// The number of callers that verify at once before the next one yields.
    private var pause = 0
    private var nextPause = Self.shortestPause

    /// A caller arrived.
    ///
    /// - Returns: Whether it yields.
    mutating func shouldGather(at now: ContinuousClock.Instant) -> Bool {
        defer { lastActivity = now }
        guard let lastActivity, now - lastActivity < Self.idleGap else { return false }
        guard pause == 0 else {
            pause -= 1
            return false
        }
        return true
    }

    /// The signature of a caller was verified.
    mutating func seen(at now: ContinuousClock.Instant) {
        lastActivity = now
    }

    /// A caller yielded or waited; `enough` says whether the resulting batch paid off.
    mutating func gathered(enough: Bool) {
        if enough {
            (pause, nextPause) = (0, Self.shortestPause)
        } else {
            pause = nextPause
            nextPause = min(2 * nextPause, Self.longestPause)
        }
    }
}
