// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// The first index of a byte; compares 64 bytes at a time, then 16.
    ///
    /// - Parameters:
    ///   - byte: The byte to find.
    ///   - start: The index to start at, at most the count.
    /// - Returns: The index; `nil` if the byte does not occur.
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

    /// Compares the sixteen bytes at an index, all of which must be in bounds, with the wanted byte.
    @inline(__always)
    private func matches(_ wanted: SIMD16<UInt8>, at index: Int) -> SIMDMask<SIMD16<Int8>> {
        // The load needs no alignment.
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self) .== wanted
    }

    /// Whether any of sixteen lanes is set.
    ///
    /// The standard library's own function checks one lane after the other.
    @inline(__always)
    private static func hasAny(_ mask: SIMDMask<SIMD16<Int8>>) -> Bool {
        let halves = halves(of: mask)
        return halves[0] | halves[1] != 0
    }

    /// The mask as bits: each of the sixteen bytes is all ones or zero, and the first one is lowest.
    @inline(__always)
    private static func halves(of mask: SIMDMask<SIMD16<Int8>>) -> SIMD2<UInt64> {
        unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    }

    /// The index of the first lane that is set.
    @inline(__always)
    private static func first(of mask: SIMDMask<SIMD16<Int8>>) -> Int? {
        let halves = halves(of: mask)
        if halves[0] != 0 { return halves[0].trailingZeroBitCount / 8 }
        return halves[1] != 0 ? 8 + halves[1].trailingZeroBitCount / 8 : nil
    }

    /// Whether the span starts with the bytes of another span.
    package func starts(with prefix: Span<UInt8>) -> Bool {
        prefix.count <= count && extracting(..<prefix.count).isIdentical(to: prefix)
    }

    /// Whether two spans contain the same bytes.
    package func isIdentical(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        // Eight bytes at a time. Each load ends within both spans, which have equal lengths, and needs no alignment.
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
