// SPDX-License-Identifier: Apache-2.0

/// Finds the end of what needs no look in a JSON string, eight bytes at a time: most of a proof is such text.
enum JSONPlainText {
    /// Whether all bytes are ASCII, no control character, no quote and no backslash.
    static func isAll(of text: Span<UInt8>) -> Bool {
        unsafe text.withUnsafeBufferPointer { unsafe end(in: $0, from: 0) == $0.count }
    }

    /// Where, from an index on that is at most the count, the first byte stands that is not ASCII, or a control character, a
    /// quote or a backslash; the count without one.
    @inline(__always)
    static func end(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        // Each load ends at or before the end of the text, and needs no alignment.
        while index &+ 8 <= text.count {
            let word = unsafe UInt64(
                littleEndian: UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            )
            let special = specialBytes(of: word)
            if special != 0 { return index &+ special.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < text.count, unsafe specialBytes(of: UInt64(text[index]) | 0x2020_2020_2020_2000) == 0 {
            index &+= 1
        }
        return index
    }

    /// The high bit of the first byte that needs a look is set, and none of a byte before it.
    ///
    /// Subtracting sets the high bit of a byte below 0x80 only when it is smaller, and only then, of all bytes, borrows from
    /// the one above; that of a byte from 0x80 on counts by itself. So bits above the first one may be wrong, and are not
    /// looked at.
    private static func specialBytes(of word: UInt64) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        let quotes = (word ^ (each &* UInt64(UInt8(ascii: "\"")))) &- each
        let backslashes = (word ^ (each &* UInt64(UInt8(ascii: "\\")))) &- each
        let control = word &- each &* 0x20
        return (quotes | backslashes | control | word) & (each &* 0x80)
    }
}
