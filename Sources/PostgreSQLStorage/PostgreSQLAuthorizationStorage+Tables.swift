// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
package import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// Adds rows to a table, all or none.
    ///
    /// - Parameters:
    ///   - rows: The rows, with the columns of the table in their order.
    ///   - table: The table.
    /// - Throws: ``/ServerStorage/StorageError/Code/alreadyStored``; ``/ServerStorage/StorageError/Code/statementFailed``
    ///   if a text holds U+0000. ``/ServerStorage/StorageError``.
    package func insert(_ rows: [[StoredValue]], into table: StoredTable) async throws(StorageError) {
        guard !rows.isEmpty else { return }
        // A message has at most 65,535 values.
        let size = max(1, 20_000 / table.columns.count)
        try await pool.slowly { connection throws(StorageError) -> Void in
            for start in stride(from: 0, to: rows.count, by: size) {
                let chunk = rows[start..<min(start + size, rows.count)]
                var next = 0
                let marks = chunk.map { row in
                    "("
                        + row.map { _ in
                            next += 1
                            return "$\(next)"
                        }.joined(separator: ", ") + ")"
                }
                let columns = table.columns.joined(separator: ", ")
                let values = chunk.flatMap { row in
                    zip(table.columns, row).map { column, value in value.stored(in: column, of: table) }
                }
                _ = try connection.run(
                    generated: "INSERT INTO \(table.name) (\(columns)) VALUES \(marks.joined(separator: ", "))",
                    values
                )
            }
        }
    }

    /// How many rows a table has.
    ///
    /// - Parameter table: The table.
    /// - Returns: The number.
    /// - Throws: ``/ServerStorage/StorageError``.
    package func count(of table: StoredTable) async throws(StorageError) -> Int {
        try await pool.slowly { connection throws(StorageError) in
            Int(try connection.run(generated: "SELECT count(*) FROM \(table.name)").first ?? 0)
        }
    }
}

extension StoredValue {
    /// The value as PostgreSQL stores it: the one text that may hold U+0000 is bytes there.
    fileprivate func stored(in column: String, of table: StoredTable) -> Self {
        guard case .text(let text) = self, table.name == "codes", column == "nonce" else { return self }
        return .blob(Array(text.utf8))
    }
}
#endif
