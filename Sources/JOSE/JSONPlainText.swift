// SPDX-License-Identifier: Apache-2.0

/// Finds the end of what needs no look in a JSON string, eight bytes at a time: most of a proof is such text.
enum JSONPlainText {
    /// How many bytes from an index on are ASCII, no control character, no quote and no backslash.
    static func count(in text: Span<UInt8>, from start: Int = 0) -> Int {
        var index = start
        // Each load ends at or before the end of the text, and needs no alignment.
        while index + 8 <= text.count {
            let word = unsafe UInt64(
                littleEndian: text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            )
            let special = specialBytes(of: word)
            if special != 0 { return index + special.trailingZeroBitCount / 8 - start }
            index += 8
        }
        while index < text.count, specialBytes(of: UInt64(text[index]) | 0x2020_2020_2020_2000) == 0 { index += 1 }
        return index - start
    }

    /// The high bit of the first byte that needs a look is set, and none of a byte before it.
    ///
    /// Subtracting from a byte borrows from the one above it only when it is itself smaller: bits above the first one may
    /// be wrong, and are not looked at.
    private static func specialBytes(of word: UInt64) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (each &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (each &* UInt64(UInt8(ascii: "\\")))
        let control = (word &- each &* 0x20) & ~word
        let found = ((quotes &- each) & ~quotes) | ((backslashes &- each) & ~backslashes) | control | word
        return found & (each &* 0x80)
    }
}
