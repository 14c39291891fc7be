// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock that processes share; the system lets go of it when its process ends, however that happens.
///
/// It belongs to the open file, so that two locks of one process keep each other out too.
package final class LockedFile: Sendable {
    private let descriptor: CInt

    /// Takes a lock, or gives `nil` at once when somebody else has it.
    ///
    /// - Parameter path: The file; made with mode 0600 when it is missing, and never followed when it is a link.
    /// - Throws: ``FileError``.
    package init?(_ path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(attempt: "open", number: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            if number == EWOULDBLOCK || number == EINTR { return nil }
            throw FileError(attempt: "lock", number: number)
        }
        var status = stat()
        // Who deleted the file meanwhile left a lock that nobody else will see.
        guard unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    /// Takes a lock in a directory, which is made with mode 0700 when it is missing.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - directory: The path of the directory; what is above it must be there.
    /// - Throws: ``FileError``.
    package convenience init?(_ name: String, in directory: String) throws(FileError) {
        if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw FileError(attempt: "make the directory of", number: errno)
        }
        try self.init(directory + "/" + name)
    }

    deinit {
        close(descriptor)
    }
}
