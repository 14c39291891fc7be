// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock between processes.
///
/// The system releases it when the process ends, for any reason.
///
/// The lock belongs to the open file, so two locks of one process exclude each other too.
package final class LockedFile: Sendable {
    private let descriptor: CInt

    /// Takes the lock; `nil` at once if another holder has it.
    ///
    /// - Parameter path: The path of the file. It is created with mode 0600 if it is missing. A symbolic link is not
    ///   followed.
    /// - Throws: ``FileError``.
    package init?(_ path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("open the lock \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = FileError.system("lock \(path)")
            close(descriptor)
            if error.number == EWOULDBLOCK || error.number == EINTR { return nil }
            throw error
        }
        var status = stat()
        // Another process deleted the file in the meantime: no other process will see this lock.
        guard unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    /// Takes a lock in a directory, which is created with mode 0700 if it is missing.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - directory: The path of the directory; its parent must exist.
    /// - Throws: ``FileError``.
    package convenience init?(_ name: String, in directory: String) throws(FileError) {
        try PrivateDirectory.make(at: directory)
        try self.init(directory + "/" + name)
    }

    deinit {
        close(descriptor)
    }
}
