// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// SIGPIPE, which ends a process that writes to a closed connection.
package enum SIGPIPEBlock {
    /// Lets failed writes of the calling thread return an error and raise no signal, until the thread ends.
    package static func onThisThread() {
        var signal = sigset_t()
        unsafe sigemptyset(&signal)
        unsafe sigaddset(&signal, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signal, nil)
    }

    /// Runs a function in which failed writes on this thread return an error and raise no signal.
    ///
    /// - Parameter body: The function.
    /// - Returns: What it returns.
    /// - Throws: What it throws.
    package static func withoutIt<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var (signal, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&signal)
        unsafe sigaddset(&signal, SIGPIPE)
        unsafe sigpending(&pending)
        let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
        unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
        defer {
            // A signal that became pending in the meantime is ours, and would be delivered once the mask is restored.
            var now = timespec(tv_sec: 0, tv_nsec: 0)
            if !wasPending { unsafe sigtimedwait(&signal, nil, &now) }
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        return try body()
    }
}
#endif
