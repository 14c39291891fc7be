// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// A lock between processes.
package struct FileLock: Sendable {
    private static let pause = Duration.milliseconds(10)

    private let file: LockedFile

    /// Waits for the lock without blocking a thread.
    ///
    /// - Parameters:
    ///   - path: The file; created with mode 0600 if it is missing.
    ///   - timeout: How long to wait.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    package init(_ path: String, timeout: Duration) async throws {
        let end = ContinuousClock.now + timeout
        while true {
            if let file = try Self.attempt(path) {
                self.file = file
                return
            }
            guard ContinuousClock.now < end else {
                throw OAuthClientError(.storageFailed, "another process holds the lock \(path) for too long")
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private static func attempt(_ path: String) throws(OAuthClientError) -> LockedFile? {
        do throws(FileError) {
            return try LockedFile(path)
        } catch {
            throw OAuthClientError(error, of: "the lock \(path)")
        }
    }
}
