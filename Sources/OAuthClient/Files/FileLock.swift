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
package final class FileLock: Sendable {
    private static let pause = Duration.milliseconds(10)

    private let descriptor: CInt

    /// Waits for the lock without blocking a thread.
    ///
    /// - Parameters:
    ///   - path: The file; made with mode 0600 when it is missing.
    ///   - patience: How long to wait.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    package init(_ path: String, patience: Duration) async throws {
        let end = ContinuousClock.now + patience
        while true {
            if let descriptor = try Self.attempt(path) {
                self.descriptor = descriptor
                return
            }
            guard ContinuousClock.now < end else {
                throw OAuthClientError(.storageFailed, "another process holds the lock \(path) for too long")
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    deinit {
        close(descriptor)
    }

    /// The open and locked file; `nil` when somebody else has it.
    private static func attempt(_ path: String) throws(OAuthClientError) -> CInt? {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFile.failure("cannot open the lock \(path)") }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            var status = stat()
            // Who deleted the file meanwhile left a lock that nobody else will see.
            if unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 { return descriptor }
            close(descriptor)
            return nil
        }
        let number = errno
        close(descriptor)
        guard number == EWOULDBLOCK || number == EINTR else {
            throw PrivateFile.failure("cannot lock \(path)", number)
        }
        return nil
    }
}
