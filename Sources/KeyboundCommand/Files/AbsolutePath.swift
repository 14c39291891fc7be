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

    /// The path of a file that need not exist, with its symbolic links: they may lead to another file later, as when a secret
    /// is exchanged.
    static func keepingLinks(_ path: String) throws -> String {
        try path.hasPrefix("/") ? path : of(".") + "/" + path
    }
}
