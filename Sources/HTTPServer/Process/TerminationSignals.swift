// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
// Also includes the socket headers; which of the two modules declares them depends on the order of loading.
import CMicroHTTPDShim
import Glibc
import OAuthSystem
import Synchronization

/// Waits for SIGTERM and SIGINT, so that a server can finish its requests before it ends.
public enum TerminationSignals {
    /// The pipe to which the signal handler writes: a handler may do little more than `write`.
    private static let input = Atomic<CInt>(-1)
    private static let waiters = Mutex(Waiters())

    private struct Waiters {
        var isInstalled = false
        var nextID = 0
        var continuations: [Int: AsyncStream<TerminationSignal>.Continuation] = [:]
        /// Signals that arrived while no task waited.
        var unclaimed: [TerminationSignal] = []
    }

    /// Handles both signals: from now on they do not end the process.
    ///
    /// ``next()`` also does this. Call this at the start of the program, so that no signal ends the process before
    /// ``next()`` is called.
    ///
    /// - Returns: Whether it worked; it fails only if the process has no file descriptor or thread left.
    @discardableResult
    public static func install() -> Bool {
        waiters.withLock { waiters in
            if waiters.isInstalled { return true }
            var ends: [CInt] = [-1, -1]
            let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return false }
            let output = ends[0]
            guard DetachedThread.start({ read(from: output) }) else {
                close(ends[0])
                close(ends[1])
                return false
            }
            input.store(ends[1], ordering: .releasing)
            for signal in [TerminationSignal.interrupt, .terminate] { takeOver(signal.number) }
            waiters.isInstalled = true
            return true
        }
    }

    /// Waits for the next SIGTERM or SIGINT.
    ///
    /// A signal that arrived after ``install()`` while no task waited is returned at once. Each waiting task gets the
    /// signal.
    ///
    /// - Returns: The signal; `nil` if the task was cancelled or the signals could not be handled.
    public static func next() async -> TerminationSignal? {
        guard install() else { return nil }
        let (stream, continuation) = AsyncStream.makeStream(of: TerminationSignal.self)
        let id = waiters.withLock { waiters in
            if waiters.unclaimed.isEmpty {
                waiters.continuations[waiters.nextID] = continuation
            } else {
                continuation.yield(waiters.unclaimed.removeFirst())
            }
            waiters.nextID += 1
            return waiters.nextID - 1
        }
        defer { _ = waiters.withLock { $0.continuations.removeValue(forKey: id) } }
        for await signal in stream { return signal }
        return nil
    }

    /// Installs a handler that writes the signal to the pipe that ``read(from:)`` reads.
    static func takeOver(_ number: Int32) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            let savedError = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = unsafe write(TerminationSignals.input.load(ordering: .acquiring), &byte, 1)
            errno = savedError
        }
        action.sa_flags = SA_RESTART
        _ = unsafe sigaction(number, &action, nil)
    }

    private static func read(from output: CInt) {
        var byte: UInt8 = 0
        while true {
            let count = unsafe Glibc.read(output, &byte, 1)
            if count == 1, byte == UInt8(HangupSignal.number) {
                HangupSignal.deliver()
            } else if count == 1 {
                deliver(TerminationSignal(number: Int32(byte)))
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }

    private static func deliver(_ signal: TerminationSignal) {
        waiters.withLock { waiters in
            if waiters.continuations.isEmpty { waiters.unclaimed.append(signal) }
            for continuation in waiters.continuations.values { continuation.yield(signal) }
            waiters.continuations = [:]
        }
    }
}
#endif
