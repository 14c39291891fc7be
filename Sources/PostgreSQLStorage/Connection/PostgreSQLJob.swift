// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// A queued operation, and the task that waits for its result.
struct PostgreSQLJob: Sendable {
    /// Resumes the waiting task; called once.
    typealias Answer = @Sendable () -> Void

    /// Carries out the operation in an open transaction.
    let attempt: @Sendable (PostgreSQLConnection) throws(StorageError) -> Answer
    /// Reports to the waiting task that the operation did not happen, or that its outcome is unknown.
    let fail: @Sendable (StorageError) -> Void
    /// Until when the caller waits.
    let deadline: ContinuousClock.Instant
    /// Whether a commit of it went out whose answer never came.
    var mayHaveHappened = false

    init<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value,
        until deadline: ContinuousClock.Instant,
        resuming continuation: CheckedContinuation<Result<Value, StorageError>, Never>
    ) {
        attempt = { connection throws(StorageError) in
            let value = try body(connection)
            return { continuation.resume(returning: .success(value)) }
        }
        fail = { error in continuation.resume(returning: .failure(error)) }
        self.deadline = deadline
    }
}
#endif
