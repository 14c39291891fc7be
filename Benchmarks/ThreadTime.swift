// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clocks that benchmarks are measured with, in seconds.
enum ThreadTime {
    /// What this thread has used of a processor: time that others take from the machine does not count.
    static func processor() -> Double { read(CLOCK_THREAD_CPUTIME_ID) }

    /// What all threads of this process have used of the processors.
    static func process() -> Double { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// What a clock on the wall shows: for several threads, where waiting for one another must count.
    static func wall() -> Double { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
