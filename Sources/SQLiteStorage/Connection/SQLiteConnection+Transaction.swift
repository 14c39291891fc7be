// SPDX-License-Identifier: Apache-2.0

import ServerStorage

#if os(Linux)
extension SQLiteConnection {
    /// Runs a function in a transaction of its own, which takes the write lock first: what is read in it stays true.
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

    /// Runs a function that only reads, so that all it reads is of one moment.
    func snapshot<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        try run("BEGIN")
        defer { rollBack() }
        return try body()
    }

    /// Runs a function as one step of the open transaction: when it throws, what it did is taken back, and only that.
    ///
    /// - Returns: What the function returned or threw.
    /// - Throws: ``StorageError`` when the step cannot be taken back, so that the whole transaction must be.
    func step<Value>(
        _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Result<Value, StorageError> {
        try run("SAVEPOINT step")
        do throws(StorageError) {
            let value = try body()
            try run("RELEASE step")
            return .success(value)
        } catch {
            // After some errors SQLite takes back everything by itself; the savepoint is gone then.
            guard isInTransaction else { throw error }
            try run("ROLLBACK TO step")
            try run("RELEASE step")
            return .failure(error)
        }
    }

    private func rollBack() {
        guard isInTransaction else { return }
        // Fails only when there is nothing to take back.
        _ = try? run("ROLLBACK")
    }
}
#endif
