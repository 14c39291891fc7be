// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Where a byte stands first; looks at 64 at a time, then at sixteen.
    ///
    /// - Parameters:
    ///   - byte: The byte to find.
    ///   - start: Where to begin, at most the count.
    /// - Returns: The index; `nil` when the byte does not stand there.
    package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        let wanted = SIMD16(repeating: byte)
        var index = start
        while index + 64 <= count {
            let found =
                matches(wanted, at: index) .| matches(wanted, at: index + 16)
                .| matches(wanted, at: index + 32) .| matches(wanted, at: index + 48)
            if Self.hasAny(found) { break }
            index += 64
        }
        while index + 16 <= count {
            if let place = Self.first(of: matches(wanted, at: index)) { return index + place }
            index += 16
        }
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// Which of the sixteen bytes from an index on, all of which are inside, are those that are wanted.
    @inline(__always)
    private func matches(_ wanted: SIMD16<UInt8>, at index: Int) -> SIMDMask<SIMD16<Int8>> {
        // The load needs no alignment.
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self) .== wanted
    }

    /// Whether any of sixteen is set; the standard library's own functions look at one after the other.
    @inline(__always)
    private static func hasAny(_ mask: SIMDMask<SIMD16<Int8>>) -> Bool {
        let halves = halves(of: mask)
        return halves[0] | halves[1] != 0
    }

    /// A mask is sixteen bytes, of which each is all ones or zero; the first one is lowest.
    @inline(__always)
    private static func halves(of mask: SIMDMask<SIMD16<Int8>>) -> SIMD2<UInt64> {
        unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    }

    /// The first of sixteen that is set.
    @inline(__always)
    private static func first(of mask: SIMDMask<SIMD16<Int8>>) -> Int? {
        let halves = halves(of: mask)
        if halves[0] != 0 { return halves[0].trailingZeroBitCount / 8 }
        return halves[1] != 0 ? 8 + halves[1].trailingZeroBitCount / 8 : nil
    }

    /// Whether the first bytes are those of another span.
    package func starts(with prefix: Span<UInt8>) -> Bool {
        prefix.count <= count && extracting(..<prefix.count).isIdentical(to: prefix)
    }

    /// Whether two spans hold the same bytes.
    package func isIdentical(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        // Eight at a time; each load ends at or before the end of both, which are equally long, and needs no alignment.
        while index &+ 8 <= count {
            let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            let otherWord = unsafe other.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            if word != otherWord { return false }
            index &+= 8
        }
        while index < count {
            if unsafe self[unchecked: index] != other[unchecked: index] { return false }
            index &+= 1
        }
        return true
    }
}
