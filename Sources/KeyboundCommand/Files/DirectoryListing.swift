// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum DirectoryListing {
    /// The names in ascending order, without hidden ones; empty if there is no such directory.
    static func names(in path: String) throws -> [String] {
        guard let names = DirectoryNames.all(in: path) else {
            if errno == ENOENT { return [] }
            throw SystemFailure.failure("cannot read the directory \(path)")
        }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }
}
