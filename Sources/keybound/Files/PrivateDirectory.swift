// SPDX-License-Identifier: Apache-2.0

import OAuthClient

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Directories and files that only their owner may read.
enum PrivateDirectory {
    /// Makes a directory with mode 0700, and the directories above it that are missing.
    static func make(at path: String) throws {
        var built = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            built += built.isEmpty || built.hasSuffix("/") ? String(component) : "/" + component
            if unsafe mkdir(built, 0o700) != 0, errno != EEXIST, errno != EISDIR {
                throw SystemFailure.failure("cannot make the directory \(built)")
            }
        }
    }

    /// Refuses a directory that others can write to or read, or that belongs to somebody else.
    static func requirePrivate(_ path: String) throws {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw SystemFailure.failure("cannot look at \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                .failure,
                "\(path) is not a directory of yours that others cannot read",
                hint: "chmod 700 \(path), or choose another one"
            )
        }
    }

    /// Writes a file with mode 0600, whole or not at all: what was there stays until the new content is on the disk.
    static func write(_ content: [UInt8], to path: String) throws {
        try PrivateFile.replace(path, with: content)
    }

    /// Deletes a file; it is no failure when there is none.
    static func delete(_ path: String) throws {
        try PrivateFile.delete(path)
    }

    /// Removes a directory when nothing is in it; else it stays.
    static func removeEmpty(_ path: String) {
        _ = unsafe rmdir(path)
    }

    /// Whether there is a file or directory of this name.
    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }
}
