// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A lock that processes share; the system lets go of it when its process ends, however that happens.
final class LockFile: Sendable {
    private let descriptor: CInt

    /// Waits for the lock without blocking a thread.
    ///
    /// - Parameters:
    ///   - path: The file; made when it is missing, never deleted.
    ///   - patience: How long to wait.
    /// - Throws: ``CommandFailure`` with ``ExitCode/unavailable``.
    init(_ path: String, patience: Duration) async throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.failure("cannot open the lock \(path)") }
        let end = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end else {
                throw CommandFailure(.unavailable, "another keybound holds the lock \(path) for too long")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
