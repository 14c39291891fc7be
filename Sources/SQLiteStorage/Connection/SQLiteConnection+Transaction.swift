// SPDX-License-Identifier: Apache-2.0

import ServerStorage

#if os(Linux)
extension SQLiteConnection {
    /// Runs a function in a transaction that takes the write lock first, so that what it reads stays true.
    func transaction<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        try run("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs a read-only function on one consistent snapshot.
    func snapshot<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        try run("BEGIN")
        defer { rollBack() }
        return try body()
    }

    /// Runs a function as one step of the open transaction; if it throws, only its own changes are rolled back.
    ///
    /// - Returns: What the function returned or threw.
    /// - Throws: ``StorageError`` if the step cannot be rolled back, so that the whole transaction must be.
    func step<Value>(
        _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Result<Value, StorageError> {
        try run("SAVEPOINT step")
        do throws(StorageError) {
            let value = try body()
            try run("RELEASE step")
            return .success(value)
        } catch {
            // After some errors SQLite rolls back the whole transaction itself; the savepoint is then gone.
            guard isInTransaction else { throw error }
            try run("ROLLBACK TO step")
            try run("RELEASE step")
            return .failure(error)
        }
    }

    private func rollBack() {
        guard isInTransaction else { return }
        // Fails only if there is nothing to roll back.
        _ = try? run("ROLLBACK")
    }
}
#endif
