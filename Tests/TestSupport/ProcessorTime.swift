// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a thread has used of a processor: time that other programs take from the machine does not count.
public enum ProcessorTime {
    /// Measures a piece of work that does not suspend.
    ///
    /// - Parameter work: What to measure.
    /// - Returns: Its time, in seconds of this thread.
    public static func seconds(of work: () throws -> Void) rethrows -> Double {
        let start = now()
        try work()
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
