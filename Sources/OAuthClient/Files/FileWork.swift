// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Work on files that may block, off the cooperative pool, with the errors of this module.
enum FileWork {
    /// Runs the work, and suspends until it is done.
    ///
    /// - Throws: What the work throws; ``OAuthClientError/Code/storageFailed`` for a ``/OAuthSystem/FileError``.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        do {
            return try await BlockingWork.run(work)
        } catch let error as FileError {
            throw OAuthClientError(error)
        }
    }

    /// Waits for a lock between processes, which is held as long as the result exists.
    ///
    /// - Throws: ``OAuthClientError/Code/storageFailed``, also when another holder keeps the lock; `CancellationError`.
    static func lock(_ path: String, timeout: Duration) async throws -> FileLock {
        do {
            return try await FileLock(path, timeout: timeout)
        } catch let error as FileError {
            throw OAuthClientError(error)
        }
    }
}
