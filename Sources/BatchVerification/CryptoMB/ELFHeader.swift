// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The part of a 64-bit ELF header that determines the length of the file (System V ABI, chapter 4).
struct ELFHeader {
    /// The size of an entry in the segment table, in bytes.
    static let segmentSize = 56
    private static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1]

    /// The offset of the segment table.
    let segmentsStart: Int
    /// The number of segments, at most 65 535.
    let segmentsCount: Int
    /// The end of the section table, which linkers write last.
    let sectionsEnd: UInt64

    /// Parses the header; `nil` if it is not that of such a file.
    ///
    /// - Parameter head: The first 64 bytes; `nil` if there are none.
    init?(_ head: [UInt8]?) {
        guard let head, head.count >= 64, Array(head[..<6]) == Self.magic,
            Self.number(head, at: 54, 2) == UInt64(Self.segmentSize),
            let start = Int(exactly: Self.number(head, at: 32, 8))
        else { return nil }
        segmentsStart = start
        segmentsCount = Int(Self.number(head, at: 56, 2))
        let length = Self.number(head, at: 58, 2) * Self.number(head, at: 60, 2)
        sectionsEnd = Self.sum(Self.number(head, at: 40, 8), length)
    }

    /// The end of a segment in the file.
    static func segmentEnd(in table: [UInt8], _ number: Int) -> UInt64 {
        let entry = number * segmentSize
        return sum(Self.number(table, at: entry + 8, 8), Self.number(table, at: entry + 32, 8))
    }

    /// An integer in little-endian byte order.
    private static func number(_ bytes: [UInt8], at start: Int, _ count: Int) -> UInt64 {
        bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        return isTooLarge ? .max : sum
    }
}
#endif
