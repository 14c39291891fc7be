// SPDX-License-Identifier: Apache-2.0

import ServerStorage

#if os(Linux)
/// What rows were made into, for as long as they hold the same bytes.
///
/// Every look-up still reads the row, so that what another process changed or deleted is seen at once; saved is only the
/// work of parsing what was parsed before.
struct SQLiteMemo<Record> {
    /// How many are kept; then all are forgotten.
    private static var capacity: Int { 128 }
    /// Rows with more bytes are parsed each time, so that the memory has an end.
    private static var largestRow: Int { 8192 }

    private var kept: [String: (row: [UInt8], record: Record)] = [:]

    /// What a row says.
    ///
    /// - Parameters:
    ///   - key: What identifies the row; all rows are results of one and the same statement.
    ///   - row: The row.
    ///   - read: Parses the row. It uses nothing but the row and the key.
    /// - Returns: What `read` returned for a row with these bytes, now or earlier.
    /// - Throws: What `read` threw; nothing is kept then.
    mutating func record(
        _ key: String,
        _ row: SQLiteRow,
        read: (SQLiteRow) throws(StorageError) -> Record
    ) throws(StorageError) -> Record {
        if let known = kept[key], row.holds(known.row) { return known.record }
        let record = try read(row)
        let bytes = row.bytes()
        kept[key] = nil
        if bytes.count <= Self.largestRow {
            if kept.count >= Self.capacity { kept.removeAll() }
            kept[key] = (bytes, record)
        }
        return record
    }
}
#endif
