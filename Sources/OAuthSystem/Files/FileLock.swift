// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock between processes, which is waited for.
package struct FileLock: Sendable {
    private static let pause = Duration.milliseconds(10)

    private let file: LockedFile

    /// Waits for the lock without blocking a thread.
    ///
    /// - Parameters:
    ///   - path: The file; created with mode 0600 if it is missing.
    ///   - timeout: How long to wait.
    /// - Throws: ``FileError``, also when another holder keeps the lock; `CancellationError`.
    package init(_ path: String, timeout: Duration) async throws {
        let end = ContinuousClock.now + timeout
        while true {
            if let file = try LockedFile(path) {
                self.file = file
                return
            }
            guard ContinuousClock.now < end else {
                throw FileError("another process holds the lock \(path) for too long", number: EWOULDBLOCK)
            }
            try await Task.sleep(for: Self.pause)
        }
    }
}
