// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// One row of a result.
struct PostgreSQLRow: StoredRow {
    /// The identifiers of types in `pg_type`, which never change.
    private enum TypeID {
        static let boolean: UInt32 = 16
        static let bytes: UInt32 = 17
        static let text: UInt32 = 25
        static let integers: Set<UInt32> = [20, 21, 23]
    }

    private let result: PostgreSQLResult
    private let index: Int32
    private let start: Int32

    /// - Parameters:
    ///   - result: The result.
    ///   - index: The number of the row, from 0.
    ///   - start: The column of the result that counts as column 0 here; a result may hold several records side by side.
    init(_ result: PostgreSQLResult, _ index: Int32, from start: Int32 = 0) {
        self.result = result
        self.index = index
        self.start = start
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe result.withBytes(index, start + column) { bytes in unsafe bytes == nil }
    }

    /// A whole number in network byte order, or a truth value.
    func integer(_ column: Int32) throws(StorageError) -> Int64 {
        let type = type(of: column)
        guard TypeID.integers.contains(type) || type == TypeID.boolean else { throw .unreadable(name(of: column)) }
        let value: Int64? = unsafe result.withBytes(index, start + column) { bytes in
            guard let bytes = unsafe bytes, let first = unsafe bytes.first else { return nil }
            let sign: Int64 = first >= 0x80 ? -1 : 0
            return unsafe bytes.reduce(sign) { value, byte in value << 8 | Int64(byte) }
        }
        guard let value else { throw .unreadable(name(of: column)) }
        return value
    }

    func text(_ column: Int32) throws(StorageError) -> String {
        guard type(of: column) == TypeID.text else { throw .unreadable(name(of: column)) }
        return try utf8(column)
    }

    /// A text that is stored as bytes, since it may hold U+0000.
    func optionalTextOfBytes(_ column: Int32) throws(StorageError) -> String? {
        guard type(of: column) == TypeID.bytes else { throw .unreadable(name(of: column)) }
        return isNull(column) ? nil : try utf8(column)
    }

    func blob(_ column: Int32) throws(StorageError) -> [UInt8] {
        guard type(of: column) == TypeID.bytes else { throw .unreadable(name(of: column)) }
        let value = unsafe result.withBytes(index, start + column) { bytes in unsafe bytes.map { unsafe Array($0) } }
        guard let value else { throw .unreadable(name(of: column)) }
        return value
    }

    func name(of column: Int32) -> String { result.name(of: start + column) }

    private func type(of column: Int32) -> UInt32 { result.type(of: start + column) }

    /// All columns from the first one on in one value: for each the number of its bytes, and the bytes.
    func bytes() -> [UInt8] {
        var all: [UInt8] = []
        for column in start..<result.columnCount {
            unsafe result.withBytes(index, column) { bytes in
                var count = unsafe Int64(bytes?.count ?? -1)
                unsafe withUnsafeBytes(of: &count) { head in unsafe all.append(contentsOf: head) }
                if let bytes = unsafe bytes { unsafe all.append(contentsOf: bytes) }
            }
        }
        return all
    }

    private func utf8(_ column: Int32) throws(StorageError) -> String {
        let value: String? = unsafe result.withBytes(index, start + column) { bytes in
            guard let bytes = unsafe bytes else { return nil }
            guard let text = try? unsafe UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span) else { return nil }
            return String(copying: text)
        }
        guard let value else { throw .unreadable(name(of: column)) }
        return value
    }
}
#endif
