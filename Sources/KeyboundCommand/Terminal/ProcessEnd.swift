// SPDX-License-Identifier: Apache-2.0

import SigningKeys
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum ProcessEnd {
    private static let directories = Mutex<Set<String>>([])

    /// Removes what is gone with the command, and ends the process.
    ///
    /// Nothing else is finished: a database in such a directory goes as it is. Exit handlers do not run, because those
    /// of OpenSSL, libcurl and modules free what threads that are still running may be using.
    static func now(_ code: ExitCode) -> Never {
        cleanUp()
        _exit(code.rawValue)
    }

    /// Does the same, and ends the process as the signal would have: a shell then knows that its script was interrupted.
    static func now(bySignal number: Int32) -> Never {
        cleanUp()
        _ = signal(number, SIG_DFL)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        // The first process of a container ignores it.
        _exit(128 + number)
    }

    private static func cleanUp() {
        for path in directories.withLock({ $0 }) { TemporaryDirectory.delete(path) }
        #if os(Linux)
        PKCS11ProcessEnd.begin()
        #endif
        fflush(nil)
    }

    /// From now on, a directory does not outlive the process.
    static func remove(_ directory: String) {
        directories.withLock { _ = $0.insert(directory) }
    }

    /// A directory was removed already.
    static func forget(_ directory: String) {
        directories.withLock { _ = $0.remove(directory) }
    }
}
