// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CSQLite
import ServerStorage

/// The current row of a statement; valid only while the function that received it runs.
@safe
struct SQLiteRow: StoredRow {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        unsafe self.statement = statement
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) throws(StorageError) -> Int64 {
        try expect(SQLITE_INTEGER, in: column)
        return unsafe sqlite3_column_int64(statement, column)
    }

    func text(_ column: Int32) throws(StorageError) -> String {
        try expect(SQLITE_TEXT, in: column)
        // Text first, then length: in the other order SQLite may convert in between.
        guard let start = unsafe sqlite3_column_text(statement, column) else { throw .unreadable(name(of: column)) }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
        guard let text = try? unsafe UTF8Span(validating: bytes.span) else {
            throw .unreadable(name(of: column))
        }
        return String(copying: text)
    }

    func blob(_ column: Int32) throws(StorageError) -> [UInt8] {
        try expect(SQLITE_BLOB, in: column)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        // An empty blob has no address.
        guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A value of any type, for a copy.
    func value(_ column: Int32) throws(StorageError) -> StoredValue {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(try integer(column))
        case SQLITE_TEXT: .text(try text(column))
        default: .blob(try blob(column))
        }
    }

    var columnCount: Int32 {
        unsafe sqlite3_data_count(statement)
    }

    /// Calls a function with the type of a column and its bytes as stored; NULL has none.
    func withBytes<Result>(of column: Int32, _ body: (Int32, UnsafeRawBufferPointer) -> Result) -> Result {
        let type = unsafe sqlite3_column_type(statement, column)
        if type == SQLITE_INTEGER {
            return unsafe withUnsafeBytes(of: sqlite3_column_int64(statement, column)) { bytes in
                unsafe body(type, bytes)
            }
        }
        // Bytes first, then their number: in the other order SQLite may convert in between.
        let start = unsafe sqlite3_column_blob(statement, column)
        let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
        return unsafe body(type, UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The name of a column, for error messages.
    func name(of column: Int32) -> String {
        guard let name = unsafe sqlite3_column_name(statement, column) else { return "\(column)" }
        return unsafe String(cString: name)
    }

    private func expect(_ type: Int32, in column: Int32) throws(StorageError) {
        guard unsafe sqlite3_column_type(statement, column) == type else { throw .unreadable(name(of: column)) }
    }
}
#endif
