// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// Waits for a socket on the calling thread.
enum SocketWait {
    /// Waits until a socket can be read, or also written.
    ///
    /// - Parameters:
    ///   - socket: Its descriptor.
    ///   - writable: Whether to wait for room to write as well.
    ///   - deadline: When to give up.
    /// - Returns: `false` at the deadline, or if the descriptor is unusable.
    static func wait(_ socket: Int32, writable: Bool, until deadline: ContinuousClock.Instant) -> Bool {
        guard socket >= 0 else { return false }
        while true {
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            guard left > 0 else { return false }
            let events = Int16(POLLIN) | (writable ? Int16(POLLOUT) : 0)
            var descriptor = pollfd(fd: socket, events: events, revents: 0)
            let count = unsafe poll(&descriptor, 1, Int32(min(left.rounded(.up), 60_000)))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }
}
#endif
