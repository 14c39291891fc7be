// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
package import ServerStorage

extension SQLiteAuthorizationStorage {
    /// The next rows of a table, in the order of its key.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - last: The last row that was read; `nil` at the beginning.
    ///   - limit: The maximum number of rows.
    /// - Returns: The rows, with the columns of the table in their order.
    /// - Throws: ``/ServerStorage/StorageError``.
    package func rows(
        of table: StoredTable,
        after last: [StoredValue]?,
        limit: Int
    ) async throws(StorageError) -> [[StoredValue]] {
        let key = table.key.joined(separator: ", ")
        let marks = table.key.map { _ in "?" }.joined(separator: ", ")
        let start = last == nil ? "" : "WHERE (\(key)) > (\(marks)) "
        let sql = SQL.generated(
            "SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name) \(start)ORDER BY \(key) LIMIT ?"
        )
        let values = Array((last ?? []).prefix(table.key.count)) + [.count(limit)]
        return try await reader.performSlowly { connection throws(StorageError) in
            try connection.rows(sql, values) { row throws(StorageError) in
                var read: [StoredValue] = []
                for column in 0..<row.columnCount { read.append(try row.value(column)) }
                return read
            }
        }
    }

    /// How many rows a table has.
    ///
    /// - Parameter table: The table.
    /// - Returns: The number.
    /// - Throws: ``/ServerStorage/StorageError``.
    package func count(of table: StoredTable) async throws(StorageError) -> Int {
        let sql = SQL.generated("SELECT count(*) FROM \(table.name)")
        return try await reader.performSlowly { connection throws(StorageError) in
            try connection.row(sql) { row throws(StorageError) in try row.count(0) } ?? 0
        }
    }
}
#endif
