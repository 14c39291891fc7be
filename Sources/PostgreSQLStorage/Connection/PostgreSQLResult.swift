// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPostgreSQL
import ServerStorage

/// The result of a statement, in binary format.
@safe
final class PostgreSQLResult {
    private let handle: OpaquePointer

    /// Takes ownership of a result.
    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe PQclear(handle)
    }

    /// Reads its first row; `nil` if it has none.
    func first<Value>(
        _ read: (PostgreSQLRow) throws(StorageError) -> Value?
    ) throws(StorageError) -> Value? {
        count > 0 ? try read(PostgreSQLRow(self, 0)) : nil
    }

    /// How many rows it holds.
    var count: Int32 { unsafe PQntuples(handle) }

    /// How many rows the statement inserted, changed or deleted.
    var changes: Int {
        guard let text = unsafe PQcmdTuples(handle) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }

    var columnCount: Int32 { unsafe PQnfields(handle) }

    /// The type of a column, as its identifier in `pg_type`.
    func type(of column: Int32) -> UInt32 { unsafe PQftype(handle, column) }

    func name(of column: Int32) -> String {
        guard let name = unsafe PQfname(handle, column) else { return "\(column)" }
        return unsafe String(cString: name)
    }

    /// Calls a function with the bytes of a value; `nil` for NULL.
    func withBytes<Result>(_ row: Int32, _ column: Int32, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard unsafe PQgetisnull(handle, row, column) == 0, let start = unsafe PQgetvalue(handle, row, column) else {
            return body(nil)
        }
        let count = unsafe Int(PQgetlength(handle, row, column))
        return unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
#endif
