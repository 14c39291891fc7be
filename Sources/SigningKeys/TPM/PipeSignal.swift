// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The signal that ends a process which writes to a connection that is gone.
enum PipeSignal {
    /// Does something of which writes that fail are errors and nothing more, on this thread.
    static func withoutIt<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var (signal, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&signal)
        unsafe sigaddset(&signal, SIGPIPE)
        unsafe sigpending(&pending)
        let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
        unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
        defer {
            // One that came meanwhile is ours, and would be delivered with the old mask.
            var now = timespec(tv_sec: 0, tv_nsec: 0)
            if !wasPending { unsafe sigtimedwait(&signal, nil, &now) }
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        return try body()
    }
}
#endif
