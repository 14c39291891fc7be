// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc

/// Makes the thread of a daemon return from its wait.
struct Wakeup: Sendable {
    private let descriptor: CInt

    /// - Returns: `nil` if the system has no file descriptor left.
    init?() {
        descriptor = keybound_open_wakeup()
        guard descriptor >= 0 else { return nil }
    }

    /// Makes ``wake()`` wake the thread of this daemon.
    ///
    /// - Returns: Whether the system had memory for it.
    func attach(to daemon: OpaquePointer) -> Bool {
        unsafe keybound_add_wakeup(daemon, descriptor)
    }

    /// Any thread may call it.
    func wake() {
        keybound_wake(descriptor)
    }

    func close() {
        Glibc.close(descriptor)
    }
}
#endif
