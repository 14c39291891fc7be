// SPDX-License-Identifier: Apache-2.0

/// Decides whether a caller who could verify at once lets others run first, by what that gave before.
struct BatchingPolicy {
    /// When for so long nobody came and nobody was busy, the next caller is alone: stepping back gathers nobody.
    static let idleGap = Duration.microseconds(500)
    private static let shortestPause = 8
    private static let longestPause = 1024

    private var lastActivity: ContinuousClock.Instant?
    /// How many callers verify at once before the next one steps back.
    private var pause = 0
    private var nextPause = Self.shortestPause

    /// A caller came.
    ///
    /// - Returns: Whether it steps back.
    mutating func shouldGather(at now: ContinuousClock.Instant) -> Bool {
        defer { lastActivity = now }
        guard let lastActivity, now - lastActivity < Self.idleGap else { return false }
        guard pause == 0 else {
            pause -= 1
            return false
        }
        return true
    }

    /// A caller was verified.
    mutating func seen(at now: ContinuousClock.Instant) {
        lastActivity = now
    }

    /// A caller stepped back, or waited, and found so many others that lanes paid, or did not.
    mutating func gathered(enough: Bool) {
        if enough {
            (pause, nextPause) = (0, Self.shortestPause)
        } else {
            pause = nextPause
            nextPause = min(2 * nextPause, Self.longestPause)
        }
    }
}
