// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// A statement with its values.
struct PostgreSQLStatement: Sendable {
    let sql: SQL
    let values: [StoredValue]

    init(_ sql: SQL, _ values: [StoredValue] = []) {
        self.sql = sql
        self.values = values
    }

    /// Whether a value is a text that PostgreSQL cannot store.
    var holdsZeroByte: Bool { values.contains(where: \.holdsZeroByte) }
}
#endif
