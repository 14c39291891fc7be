// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Where a byte stands first; looks at eight at a time.
    ///
    /// - Parameters:
    ///   - byte: The byte to find.
    ///   - start: Where to begin, at most the count.
    /// - Returns: The index; `nil` when the byte does not stand there.
    package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        let each: UInt64 = 0x0101_0101_0101_0101
        var index = start
        while index + 8 <= count {
            // The load ends at or before the end of the span, and needs no alignment.
            let word = unsafe UInt64(
                littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            )
            let different = word ^ (each &* UInt64(byte))
            // The lowest high bit that is set belongs to the first byte that is zero; see JSONPlainText.
            let found = (different &- each) & ~different & (each &* 0x80)
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// Whether the first bytes are those of another span.
    package func starts(with prefix: Span<UInt8>) -> Bool {
        prefix.count <= count && extracting(..<prefix.count).isIdentical(to: prefix)
    }

    /// Whether two spans hold the same bytes.
    package func isIdentical(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
