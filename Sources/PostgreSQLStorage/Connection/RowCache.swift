// SPDX-License-Identifier: Apache-2.0

import ServerStorage

#if os(Linux)
/// A cache of parsed rows, valid while the row has the same bytes.
///
/// Every look-up still reads the row, so changes by other nodes are seen at once. Only the parsing is saved.
struct RowCache<Record> {
    /// The maximum number of entries; a full cache is emptied.
    private static var capacity: Int { 128 }
    /// Larger rows, in bytes, are not cached, which bounds the memory.
    private static var largestRow: Int { 8192 }

    private var kept: [String: (row: [UInt8], record: Record)] = [:]

    /// The parsed record of a row.
    ///
    /// - Parameters:
    ///   - key: What identifies the row; all rows must come from the same statement.
    ///   - row: The row.
    ///   - read: Parses the row. It uses nothing except the row and the key.
    /// - Returns: What `read` returned for a row with these bytes, now or earlier.
    /// - Throws: What `read` threw; nothing is cached then.
    mutating func record(
        _ key: String,
        _ row: PostgreSQLRow,
        read: (PostgreSQLRow) throws(StorageError) -> Record
    ) throws(StorageError) -> Record {
        let bytes = row.bytes()
        if let known = kept[key], known.row == bytes { return known.record }
        let record = try read(row)
        kept[key] = nil
        if bytes.count <= Self.largestRow {
            if kept.count >= Self.capacity { kept.removeAll() }
            kept[key] = (bytes, record)
        }
        return record
    }
}
#endif
