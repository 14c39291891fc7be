// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthSystem

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Directories and files that only their owner can read.
enum PrivateDirectory {
    /// Creates a directory with mode 0700, and its missing parents.
    static func make(at path: String) throws {
        var built = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            built += built.isEmpty || built.hasSuffix("/") ? String(component) : "/" + component
            if unsafe mkdir(built, 0o700) != 0, errno != EEXIST, errno != EISDIR {
                throw SystemFailure.failure("cannot create the directory \(built)")
            }
        }
    }

    /// Rejects a directory that others can write to or read, or that belongs to another user.
    static func requirePrivate(_ path: String) throws {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw SystemFailure.failure("cannot examine \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                .failure,
                "\(path) is not a directory that belongs to you and that others cannot read",
                hint: "chmod 700 \(path), or choose another one"
            )
        }
    }

    /// Writes a file with mode 0600 atomically: the old content stays until the new content is on the disk.
    static func write(_ content: [UInt8], to path: String) throws {
        try PrivateFile.replace(path, with: content)
    }

    /// Creates an empty file with mode 0600; fails if the name exists.
    static func createFile(_ path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw SystemFailure.failure("cannot write \(path)") }
            throw CommandFailure(.failure, "\(path) already exists", hint: "choose another name")
        }
        close(descriptor)
    }

    /// Flushes a file to the disk, including what others wrote.
    static func synchronize(_ path: String) throws {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure.failure("cannot read \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemFailure.failure("cannot write \(path)") }
    }

    /// Deletes a file, if it exists.
    static func delete(_ path: String) throws {
        try PrivateFile.delete(path)
    }

    /// Removes a directory if it is empty.
    static func removeEmpty(_ path: String) {
        _ = unsafe rmdir(path)
    }

    /// Whether there is a file or directory with this name.
    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }
}
