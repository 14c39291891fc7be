// SPDX-License-Identifier: Apache-2.0

/// Finds the end of what needs no look in a JSON string, eight bytes at a time: most of a proof is such text.
enum JSONStringScanner {
    /// How many zeros lie behind a text that was padded: as many bytes as are loaded at once.
    static var paddingCount: Int { 8 }

    /// Calls a function with a copy of a text, behind which lie zeros; for short ones on the stack.
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

    /// Whether all bytes are ASCII, no control character, no quote and no backslash.
    static func isAll(of text: Span<UInt8>) -> Bool {
        guard text.count >= 8 else {
            return text.indices.allSatisfy { specialBytes(of: UInt64(text[$0]) | 0x2020_2020_2020_2000) == 0 }
        }
        // The last word may begin inside the one before it.
        let last = text.count &- 8
        var index = 0
        while true {
            let word = unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            guard specialBytes(of: word) == 0 else { return false }
            if index == last { return true }
            index = min(index &+ 8, last)
        }
    }

    /// Where, from an index on that is at most the count, the first byte stands that is not ASCII, or a control character, a
    /// quote or a backslash; the count without one.
    ///
    /// A load begins at or before the end of the text, and ends in the zeros behind it, which are control characters.
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
