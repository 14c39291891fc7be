// SPDX-License-Identifier: Apache-2.0

/// Finds the end of plain text in a JSON string, eight bytes at a time.
///
/// Most of a proof is such text.
enum JSONStringScanner {
    /// The number of zeros after a padded text: as many bytes as one load reads.
    static var paddingCount: Int { 8 }

    /// Calls a function with a zero-padded copy of a text; short texts are copied to the stack.
    @inline(__always)
    static func withPadded<Value>(
        _ text: Span<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) throws(StrictJSONError) -> Value
    ) throws(StrictJSONError) -> Value {
        try unsafe text.withUnsafeBufferPointer { text throws(StrictJSONError) in
            try unsafe withUnsafeTemporaryAllocation(
                of: UInt8.self,
                capacity: text.count + paddingCount
            ) { copy throws(StrictJSONError) in
                _ = unsafe copy.initialize(from: text)
                unsafe copy[text.count...].initialize(repeating: 0)
                return try unsafe body(UnsafeBufferPointer(copy))
            }
        }
    }

    /// Whether all bytes are ASCII, and none is a control character, a quote or a backslash.
    static func isAll(of text: Span<UInt8>) -> Bool {
        guard text.count >= 8 else {
            return text.indices.allSatisfy { specialBytes(of: UInt64(text[$0]) | 0x2020_2020_2020_2000) == 0 }
        }
        // The last word may overlap the one before it.
        let last = text.count &- 8
        var index = 0
        while true {
            let word = unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            guard specialBytes(of: word) == 0 else { return false }
            if index == last { return true }
            index = min(index &+ 8, last)
        }
    }

    /// The first index, from a given one on, of a byte that is not ASCII, or is a control character, a quote or a
    /// backslash; the count if there is none.
    ///
    /// The given index is at most the count.
    ///
    /// A load starts at or before the end of the text, and ends in the zeros after it, which are control characters.
    @inline(__always)
    static func end(inPadded text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        while true {
            let word = unsafe UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let special = specialBytes(of: UInt64(littleEndian: word))
            if special != 0 { return index &+ special.trailingZeroBitCount / 8 }
            index &+= 8
        }
    }

    /// Sets the high bit of the first special byte, and of no byte before it.
    ///
    /// For a byte below 0x80, the subtraction sets the high bit only if the byte is smaller; only then does it borrow
    /// from the next byte. A byte from 0x80 on is special by its own high bit. Bits above the first one may therefore
    /// be wrong, and are ignored.
    private static func specialBytes(of word: UInt64) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        let quotes = (word ^ (each &* UInt64(UInt8(ascii: "\"")))) &- each
        let backslashes = (word ^ (each &* UInt64(UInt8(ascii: "\\")))) &- each
        let control = word &- each &* 0x20
        return (quotes | backslashes | control | word) & (each &* 0x80)
    }
}
