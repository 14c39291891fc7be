// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CSQLite

/// A prepared statement; used by one thread at a time, as its connection is.
@safe
final class SQLiteStatement {
    private let handle: OpaquePointer

    /// Prepares a statement that is kept.
    init(_ sql: SQL, database: OpaquePointer) throws(StorageError) {
        var prepared: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            database,
            sql.text,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &prepared,
            nil
        )
        guard result == SQLITE_OK, let prepared = unsafe prepared else {
            throw StorageError(sqliteResult: result, message: unsafe SQLiteConnection.message(of: database))
        }
        unsafe handle = prepared
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Binds values to all parameters, in their order.
    func bind(_ values: [SQLiteValue]) throws(StorageError) {
        guard unsafe Int(sqlite3_bind_parameter_count(handle)) == values.count else {
            throw StorageError(.statementFailed, "a statement was given \(values.count) values: it takes more or fewer")
        }
        for (index, value) in values.enumerated() {
            guard bind(value, at: Int32(index + 1)) == SQLITE_OK else { throw failure }
        }
    }

    /// Moves to the next row.
    ///
    /// - Returns: `false` when there are no more rows.
    func step() throws(StorageError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure
        }
    }

    /// Calls a function with the row that ``step()`` moved to.
    func withRow<Result>(_ body: (SQLiteRow) throws(StorageError) -> Result) throws(StorageError) -> Result {
        try unsafe body(SQLiteRow(handle))
    }

    /// Ends the execution and forgets the values.
    func reset() {
        // The result repeats the error of the last step, which was thrown there.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number):
            return unsafe sqlite3_bind_int64(handle, index, number)
        case .blob(let bytes):
            return unsafe bytes.withUnsafeBytes { buffer in
                // The address of no bytes may be nil, which SQLite takes for NULL.
                guard let start = buffer.baseAddress, buffer.count > 0 else {
                    return unsafe sqlite3_bind_zeroblob(handle, index, 0)
                }
                return unsafe sqlite3_bind_blob64(handle, index, start, UInt64(buffer.count), Self.copying)
            }
        case .text(let text):
            let bytes = text.utf8CString
            return unsafe bytes.withUnsafeBufferPointer { buffer in
                // The terminating zero is not part of the text; it keeps the address of no characters from being nil.
                let count = UInt64(buffer.count - 1)
                let encoding = UInt8(SQLITE_UTF8)
                return unsafe sqlite3_bind_text64(handle, index, buffer.baseAddress, count, Self.copying, encoding)
            }
        }
    }

    private var failure: StorageError {
        let database = unsafe sqlite3_db_handle(handle)
        return unsafe StorageError(
            sqliteResult: sqlite3_extended_errcode(database),
            message: SQLiteConnection.message(of: database)
        )
    }

    /// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the value before the call returns.
    private static var copying: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}
#endif
