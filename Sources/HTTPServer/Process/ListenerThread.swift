// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import OAuthSystem
import Synchronization

/// A thread that serves its share of a listener's connections, with its own daemon.
///
/// The library's own threads cannot be used: they accept connections themselves; see ``Acceptor``.
final class ListenerThread: Sendable {
    /// How many file descriptors a thread needs to wait and to be woken.
    static let descriptors = 3

    private let daemon: MicroHTTPDaemon
    private let isEnding = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a thread; `nil` if the system has no thread, memory or file descriptors left.
    ///
    /// - Parameters:
    ///   - core: The state that the threads of the listener share.
    ///   - acceptor: Distributes the connections.
    ///   - number: The number of the thread.
    init?(core: ListenerCore, acceptor: Acceptor, number: Int) {
        guard let daemon = MicroHTTPDaemon(core: core, acceptor: acceptor, thread: number) else { return nil }
        self.daemon = daemon
        guard DetachedThread.start({ self.run() }) else {
            daemon.stop()
            return nil
        }
    }

    /// Makes the thread close its connections and end.
    ///
    /// No connection may be suspended, now or later.
    func end() {
        isEnding.store(true, ordering: .releasing)
        daemon.wake()
    }

    func waitForEnd() {
        ended.wait()
    }

    private func run() {
        // A handler that runs here may write to a connection that is gone.
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
