// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// A queued operation, and the task that waits for its result.
struct PostgreSQLJob: Sendable {
    /// Resumes the waiting task; called once.
    typealias Answer = @Sendable () -> Void

    /// The plan of an operation, with its result on the way to the waiting task.
    struct Plan: Sendable {
        let statements: [PostgreSQLStatement]
        let order: String
        /// `nil` if the operation must be carried out step by step.
        let answer: @Sendable (PostgreSQLConnection, ArraySlice<PostgreSQLResult>) throws(StorageError) -> Answer?
    }

    /// The plan that is tried first.
    let plan: Plan?
    /// Carries out the operation in an open transaction.
    let attempt: @Sendable (PostgreSQLConnection) throws(StorageError) -> Answer
    /// Reports to the waiting task that the operation did not happen, or that its outcome is unknown.
    let fail: @Sendable (StorageError) -> Void
    /// Until when the caller waits.
    let deadline: ContinuousClock.Instant
    /// Whether it was sent to be committed, and no answer came.
    private(set) var mayHaveHappened = false
    /// Why the last attempt failed.
    private var failure = StorageError.waitedTooLong

    init<Value: Sendable>(
        _ plan: PostgreSQLPlan<Value>?,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Value,
        until deadline: ContinuousClock.Instant,
        resuming continuation: CheckedContinuation<Result<Value, StorageError>, Never>
    ) {
        self.plan = plan.map { plan in
            Plan(statements: plan.statements, order: plan.order) { connection, results throws(StorageError) in
                guard let value = try plan.read(connection, results) else { return nil }
                return { continuation.resume(returning: .success(value)) }
            }
        }
        attempt = { connection throws(StorageError) in
            let value = try body(connection)
            return { continuation.resume(returning: .success(value)) }
        }
        fail = { error in continuation.resume(returning: .failure(error)) }
        self.deadline = deadline
    }

    /// Notes that an attempt failed.
    ///
    /// - Parameters:
    ///   - error: Why it failed.
    ///   - unknown: Whether its commit may have happened nevertheless.
    mutating func noteFailure(_ error: StorageError, unknown: Bool) {
        failure = error
        mayHaveHappened = mayHaveHappened || unknown
    }

    /// Fails the operation, since there will be no other attempt.
    func giveUp() {
        fail(mayHaveHappened ? .hasUnknownOutcome : failure)
    }
}
#endif
