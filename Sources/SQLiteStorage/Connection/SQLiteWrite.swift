// SPDX-License-Identifier: Apache-2.0

import ServerStorage

#if os(Linux)
/// An operation that waits for its place in a transaction, and the task that waits for it.
struct SQLiteWrite: Sendable {
    /// Tells the waiting task, once.
    private typealias Answer = @Sendable () -> Void

    private let attempt: @Sendable (SQLiteConnection) throws(StorageError) -> Answer
    /// Tells the waiting task that the operation has not happened.
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

    /// Carries out operations in one transaction, then answers all of them.
    ///
    /// Steps that can be taken back one by one cost a copy of each page that they change, and hardly an operation ever
    /// fails: so they are used only after one did.
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
                // All of it was lost, a full disk for example; nobody is answered yet, so each is tried by itself.
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

    /// Throws only when the transaction is lost as a whole.
    private func attemptAsStep(_ connection: SQLiteConnection) throws(StorageError) -> Answer {
        switch try connection.step({ () throws(StorageError) in try attempt(connection) }) {
        case .success(let answer): return answer
        case .failure(let error): return { fail(error) }
        }
    }
}
#endif
