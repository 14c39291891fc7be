// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CSQLite
import ServerStorage

/// A prepared statement; used by one thread at a time, like its connection.
@safe
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let parameterCount: Int
    private var bytes = SQLiteBytes()

    /// Prepares a statement for repeated use.
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
        parameterCount = unsafe Int(sqlite3_bind_parameter_count(prepared))
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Binds values to all parameters, in order.
    func bind(_ values: [StoredValue]) throws(StorageError) {
        guard parameterCount == values.count else {
            throw StorageError(.statementFailed, "a statement was given \(values.count) values: it takes more or fewer")
        }
        guard parameterCount > 0 else { return }
        bytes.makeRoom(for: values)
        var index: Int32 = 0
        for value in values {
            index += 1
            guard bind(value, at: index) == SQLITE_OK else { throw failure }
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

    /// Ends the execution.
    ///
    /// The values stay bound but are never read again: the next execution binds all of them.
    func reset() {
        // The result repeats the error of the last step, which was already thrown.
        unsafe sqlite3_reset(handle)
    }

    private func bind(_ value: StoredValue, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number):
            return unsafe sqlite3_bind_int64(handle, index, number)
        case .blob(let blob):
            return unsafe blob.withUnsafeBytes { value in
                // No destructor means SQLITE_STATIC: the bytes stay in place until the next binding.
                unsafe sqlite3_bind_blob64(handle, index, bytes.append(value), UInt64(value.count), nil)
            }
        case .text(var text):
            return text.withUTF8 { utf8 in
                let start = unsafe bytes.append(UnsafeRawBufferPointer(utf8))?.assumingMemoryBound(to: CChar.self)
                return unsafe sqlite3_bind_text64(handle, index, start, UInt64(utf8.count), nil, UInt8(SQLITE_UTF8))
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
}
#endif
