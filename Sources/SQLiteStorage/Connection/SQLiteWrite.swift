// SPDX-License-Identifier: Apache-2.0

import ServerStorage

#if os(Linux)
/// A queued operation, and the task that waits for its result.
struct SQLiteWrite: Sendable {
    /// Resumes the waiting task; called once.
    private typealias Answer = @Sendable () -> Void

    private let attempt: @Sendable (SQLiteConnection) throws(StorageError) -> Answer
    /// Reports to the waiting task that the operation did not happen.
    let fail: @Sendable (StorageError) -> Void

    init<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StorageError) -> Value,
        resuming continuation: CheckedContinuation<Result<Value, StorageError>, Never>
    ) {
        attempt = { connection throws(StorageError) in
            let value = try body(connection)
            return { continuation.resume(returning: .success(value)) }
        }
        fail = { error in continuation.resume(returning: .failure(error)) }
    }

    /// Executes operations in one transaction, then resumes all their tasks.
    ///
    /// A savepoint costs a copy of each page that changes, and operations rarely fail. So savepoints are used only
    /// after a failure.
    static func commit(_ writes: ArraySlice<SQLiteWrite>, on connection: SQLiteConnection) {
        do throws(StorageError) {
            try commit(writes, on: connection) { write throws(StorageError) in try write.attempt(connection) }
        } catch {
            if writes.count > 1, error.code != .busy {
                commitInSteps(writes, on: connection)
            } else {
                for write in writes { write.fail(error) }
            }
        }
    }

    private static func commitInSteps(_ writes: ArraySlice<SQLiteWrite>, on connection: SQLiteConnection) {
        do throws(StorageError) {
            try commit(writes, on: connection) { write throws(StorageError) in try write.attemptAsStep(connection) }
        } catch {
            if error.code == .busy {
                for write in writes { write.fail(error) }
            } else {
                // The whole transaction failed, for example on a full disk. No task has resumed yet, so each operation
                // is tried by itself.
                for index in writes.indices { commit(writes[index...index], on: connection) }
            }
        }
    }

    private static func commit(
        _ writes: ArraySlice<SQLiteWrite>,
        on connection: SQLiteConnection,
        attempt: (SQLiteWrite) throws(StorageError) -> Answer
    ) throws(StorageError) {
        let answers = try connection.transaction { () throws(StorageError) in
            try writes.map { write throws(StorageError) in try attempt(write) }
        }
        for answer in answers { answer() }
    }

    /// Throws only if the whole transaction failed.
    private func attemptAsStep(_ connection: SQLiteConnection) throws(StorageError) -> Answer {
        switch try connection.step({ () throws(StorageError) in try attempt(connection) }) {
        case .success(let answer): return answer
        case .failure(let error): return { fail(error) }
        }
    }
}
#endif
