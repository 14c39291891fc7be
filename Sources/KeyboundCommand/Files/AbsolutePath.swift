// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Paths that do not depend on the current directory.
enum AbsolutePath {
    /// The path of a file that exists, without symbolic links.
    static func of(_ path: String) throws -> String {
        guard let resolved = unsafe realpath(path, nil) else {
            throw SystemFailure.failure("cannot find \(path)", .failure)
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
