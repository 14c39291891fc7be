// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The processor time of a piece of work: time that other programs use does not count.
public enum ProcessorTime {
    /// How often work is repeated if it seems too slow.
    private static let attempts = 10

    /// Measures work that does not suspend, and repeats it until it is fast enough.
    ///
    /// The clock of a thread also counts what a host withholds from the whole machine, a quarter of a second at a time:
    /// work that is really slow is slow every time.
    ///
    /// - Parameters:
    ///   - limit: The limit in seconds: the first attempt below it is the last one.
    ///   - work: The work to measure; it may run up to ten times.
    /// - Returns: The shortest attempt, in seconds of this thread.
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
