// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The signals of the thread that speaks to Redis.
enum ThreadSignals {
    /// Blocks all signals on the calling thread.
    ///
    /// They are for other threads. SIGPIPE, which a write to a closed connection raises, would end the process; blocked, it is an
    /// ordinary error.
    static func block() {
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
#endif
