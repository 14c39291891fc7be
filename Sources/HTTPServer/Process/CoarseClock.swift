// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The time since the machine started, to about 4 ms: precise enough for limits, cheap enough for every request.
enum CoarseClock {
    static func milliseconds() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Whole milliseconds, at least 0; a value that does not fit becomes the largest number of seconds that does.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 0 }
        return min(seconds, .max / 2000) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
#endif
