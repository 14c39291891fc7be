// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// What the head of a 64-bit library in the form ELF says about the length of its file (System V ABI, chapter 4).
struct ELFHeader {
    /// The octets of an entry in the table of segments.
    static let segmentSize = 56
    private static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1]

    /// Where the table of segments begins.
    let segmentsStart: Int
    /// How many segments there are, at most 65 535.
    let segmentsCount: Int
    /// Where the table of sections ends, which linkers write last.
    let sectionsEnd: UInt64

    /// Reads the head; `nil` for what is no such file.
    ///
    /// - Parameter head: The first 64 octets; `nil` for none.
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

    /// Where in the file a segment ends.
    static func segmentEnd(in table: [UInt8], _ number: Int) -> UInt64 {
        let entry = number * segmentSize
        return sum(Self.number(table, at: entry + 8, 8), Self.number(table, at: entry + 32, 8))
    }

    /// A number that stands with its least significant octet first.
    private static func number(_ bytes: [UInt8], at start: Int, _ count: Int) -> UInt64 {
        bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        return isTooLarge ? .max : sum
    }
}
#endif
