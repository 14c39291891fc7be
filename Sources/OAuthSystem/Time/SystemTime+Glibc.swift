// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The operating system's clock.
package enum SystemTime {
    /// The time of day.
    ///
    /// - Returns: Milliseconds since 1970-01-01T00:00:00Z without leap seconds; it may jump if the clock is set.
    package static func millisecondsSince1970() -> Int64 {
        var time = timespec()
        // Fails only for an unknown clock or an unmapped address.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
#endif
