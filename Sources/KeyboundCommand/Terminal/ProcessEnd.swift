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
        for path in directories.withLock({ $0 }) { TemporaryDirectory.delete(path) }
        #if os(Linux)
        PKCS11ProcessEnd.begin()
        #endif
        fflush(nil)
        _exit(code.rawValue)
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
