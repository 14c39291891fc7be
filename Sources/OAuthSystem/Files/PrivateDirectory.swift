// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// Directories that only their owner may read or change.
///
/// Every function may block.
package enum PrivateDirectory {
    /// Creates a directory with mode 0700, unless it exists.
    ///
    /// - Parameter path: The path; its parent must exist.
    /// - Throws: ``FileError``.
    package static func make(at path: String) throws(FileError) {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw .system("make the directory \(path)") }
    }

    /// Creates a directory with mode 0700, and its missing parents.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``FileError``.
    package static func makeWithParents(at path: String) throws(FileError) {
        var built = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            built += built.isEmpty || built.hasSuffix("/") ? String(component) : "/" + component
            if unsafe mkdir(built, 0o700) != 0, errno != EEXIST, errno != EISDIR {
                throw .system("make the directory \(built)")
            }
        }
    }

    /// Rejects a directory that other users can write to or read, or that belongs to another user.
    ///
    /// - Parameter path: The path; a link is not followed.
    /// - Throws: ``FileError``.
    package static func requirePrivate(_ path: String) throws(FileError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .system("look at \(path)") }
        guard isPrivate(status, S_IFDIR) else {
            throw FileError(
                "\(path) is not a directory of yours that others cannot read: run chmod 700 on it, or choose another one"
            )
        }
    }

    /// Removes a directory if it is empty.
    ///
    /// - Parameter path: The path.
    package static func removeEmpty(_ path: String) {
        _ = unsafe rmdir(path)
    }

    /// Writes the directory of a file through to the disk, so that the new name survives a power cut.
    ///
    /// If this is not possible, the file itself is still complete.
    static func synchronize(parentOf path: String) {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = unsafe open(parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }

    /// Whether the group or others may do anything with a file or directory.
    ///
    /// - Parameter status: Its status.
    /// - Returns: `true` if a permission bit is set for the group or for others.
    package static func isShared(_ status: stat) -> Bool {
        status.st_mode & 0o077 != 0
    }

    /// Whether a file or directory is of this kind, and its owner, this user, is the only one who may read or change it.
    static func isPrivate(_ status: stat, _ kind: mode_t) -> Bool {
        status.st_mode & S_IFMT == kind && status.st_uid == geteuid() && !isShared(status)
    }
}
