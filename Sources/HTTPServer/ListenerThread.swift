// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import Synchronization

/// A thread that serves connections, with a daemon of its own on the common socket.
///
/// The library has threads too, and aborts the process when it is told to accept no more while one of them is awake
/// (release 0.9.75: "Failed to remove listen FD from epoll set"). So here the thread that runs a daemon also tells it.
final class ListenerThread: Sendable {
    private enum Order: UInt8, AtomicRepresentable {
        case serve, acceptNoMore, end
    }

    private let daemon: MicroHTTPDaemon
    private let order = Atomic<Order>(.serve)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a thread; `nil` when the system has no thread, memory or file descriptors to give.
    ///
    /// - Parameters:
    ///   - socket: Listens already; stays the caller's, who closes it after ``waitForEnd()``, or when this returns `nil`.
    ///   - connections: The most connections that this thread serves at a time.
    ///   - core: What the threads of the listener share.
    init?(socket: CInt, connections: Int, core: ListenerCore) {
        guard let daemon = MicroHTTPDaemon(socket: socket, connections: connections, core: core) else { return nil }
        self.daemon = daemon
        guard DetachedThread.start({ self.run() }) else {
            daemon.quiesce()
            daemon.stop()
            return nil
        }
    }

    /// The thread accepts no more connections as soon as it has the time; new ones are refused then.
    func acceptNoMore() {
        give(.acceptNoMore)
    }

    /// The thread closes its connections and ends; no connection may be suspended, and none will be.
    func end() {
        give(.end)
    }

    /// Blocks until the thread has ended.
    func waitForEnd() {
        ended.wait()
    }

    private func give(_ next: Order) {
        order.store(next, ordering: .releasing)
        daemon.wake()
    }

    private func run() {
        // A handler may run here that writes to a connection which is gone.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        while order.load(ordering: .acquiring) == .serve { daemon.run() }
        daemon.quiesce()
        while order.load(ordering: .acquiring) == .acceptNoMore { daemon.run() }
        daemon.stop()
        ended.signal()
    }
}
#endif
