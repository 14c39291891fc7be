// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import Synchronization

/// A thread that serves its share of a listener's connections, with a daemon of its own.
///
/// The library has threads too, but only such that accept by themselves; see ``Acceptor``.
final class ListenerThread: Sendable {
    /// How many file descriptors a thread needs for itself, to wait and to be woken.
    static let descriptors = 3

    private let daemon: MicroHTTPDaemon
    private let isEnding = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a thread; `nil` when the system has no thread, memory or file descriptors to give.
    ///
    /// - Parameters:
    ///   - core: What the threads of the listener share.
    ///   - acceptor: Shares connections out.
    ///   - number: The number of the thread.
    init?(core: ListenerCore, acceptor: Acceptor, number: Int) {
        guard let daemon = MicroHTTPDaemon(core: core, acceptor: acceptor, thread: number) else { return nil }
        self.daemon = daemon
        guard DetachedThread.start({ self.run() }) else {
            daemon.stop()
            return nil
        }
    }

    /// The thread closes its connections and ends; no connection may be suspended, and none will be.
    func end() {
        isEnding.store(true, ordering: .releasing)
        daemon.wake()
    }

    /// Blocks until the thread has ended.
    func waitForEnd() {
        ended.wait()
    }

    private func run() {
        // A handler may run here that writes to a connection which is gone.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        while !isEnding.load(ordering: .acquiring) { daemon.run() }
        daemon.stop()
        ended.signal()
    }
}
#endif
