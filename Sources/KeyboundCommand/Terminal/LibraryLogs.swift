// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What libraries print by themselves.
enum LibraryLogs {
    /// Keeps the TPM library from writing to standard error, unless the user has set `TSS2_LOG`.
    ///
    /// What fails is in the errors of the commands. Called before there is a second thread, since another one could read the
    /// environment meanwhile.
    static func silence() {
        _ = unsafe setenv("TSS2_LOG", "all+NONE", 0)
    }
}
