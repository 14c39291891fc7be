// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a piece of work needs of a processor: time that other programs take from the machine does not count.
public enum ProcessorTime {
    /// How often work is tried that seems to take too long.
    private static let attempts = 10

    /// Measures a piece of work that does not suspend, as often as it takes to see that it is quick.
    ///
    /// The clock of a thread also counts what a host withholds from the whole machine, a quarter of a second at a time:
    /// work that is slow is slow every time.
    ///
    /// - Parameters:
    ///   - limit: What is quick, in seconds: no more attempts are made after one that took less.
    ///   - work: What to measure; it may be done up to ten times.
    /// - Returns: The least time of an attempt, in seconds of this thread.
    public static func leastSeconds(limit: Double, of work: () throws -> Void) rethrows -> Double {
        var least = Double.infinity
        for _ in 0..<attempts where least >= limit {
            let start = now()
            try work()
            least = min(least, now() - start)
        }
        return least
    }

    private static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
