// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clocks of the benchmarks, in seconds.
enum ThreadTime {
    /// The processor time of this thread: time used by other programs does not count.
    static func processor() -> Double { read(CLOCK_THREAD_CPUTIME_ID) }

    /// The processor time of all threads of this process.
    static func process() -> Double { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// Wall-clock time: for several threads, where waiting for each other must count.
    static func wall() -> Double { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
