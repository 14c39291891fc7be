// SPDX-License-Identifier: Apache-2.0

/// Sixteen characters of base64url, which encode twelve bytes.
///
/// No table look-up and no branch depends on the data, so neither timing nor memory access discloses secrets: private
/// keys, tokens and client secrets are decoded here. All platforms of this package are little-endian.
enum Base64URLBlock {
    /// Characters, or their 6-bit values.
    typealias Lanes = SIMD16<Int8>

    /// The 6-bit values of characters; negative for a character that is not in the alphabet.
    @inline(__always)
    static func values(of characters: Lanes) -> Lanes {
        var steps = step("A", "Z", to: 0, characters)
        steps |= step("a", "z", to: 26, characters)
        steps |= step("0", "9", to: 52, characters)
        steps |= step("-", to: 62, characters)
        steps |= step("_", to: 63, characters)
        // The highest bit remains set if no range matches.
        return (characters | Lanes(repeating: .min)) &+ steps
    }

    /// The characters for 6-bit values.
    @inline(__always)
    static func characters(of values: Lanes) -> Lanes {
        var characters = values &+ Lanes(repeating: octet("A"))
        // Skips from the next ASCII character to the next character of the alphabet.
        characters = characters &+ (areAbove(25, values) & Lanes(repeating: octet("a") - octet("[")))
        characters = characters &+ (areAbove(51, values) & Lanes(repeating: octet("0") - octet("{")))
        characters = characters &+ (areAbove(61, values) & Lanes(repeating: octet("-") - octet(":")))
        return characters &+ (areAbove(62, values) & Lanes(repeating: octet("_") - octet(".")))
    }

    /// Joins 6-bit values: six bytes in the low part of each half, little-endian; the bits above are undefined.
    @inline(__always)
    static func join(_ values: Lanes) -> (UInt64, UInt64) {
        let pairs = unsafe unsafeBitCast(values, to: SIMD8<UInt16>.self)
        let groups = unsafe unsafeBitCast(
            (pairs &<< 6) & SIMD8(repeating: 0xFFF) | (pairs &>> 8),
            to: SIMD4<UInt32>.self
        )
        let halves = unsafe unsafeBitCast(
            (groups &<< 12) & SIMD4(repeating: 0xFF_FFFF) | (groups &>> 16),
            to: SIMD2<UInt64>.self
        )
        let high = (halves &<< 40) | (halves &>> 16)
        return (high[0].byteSwapped, high[1].byteSwapped)
    }

    /// Splits the lower three bytes of each group into 6-bit values, little-endian.
    @inline(__always)
    static func split(_ groups: (UInt32, UInt32, UInt32, UInt32)) -> Lanes {
        let (first, second, third, fourth) = groups
        let high = SIMD4(first.byteSwapped, second.byteSwapped, third.byteSwapped, fourth.byteSwapped)
        let pairs = unsafe unsafeBitCast(
            (high &>> 20) | ((high &<< 8) & SIMD4(repeating: 0xFFF_0000)),
            to: SIMD8<UInt16>.self
        )
        return unsafe unsafeBitCast((pairs &>> 6) | ((pairs & SIMD8(repeating: 0x3F)) &<< 8), to: Lanes.self)
    }

    /// Whether any lane is negative.
    static func isAnyNegative(_ lanes: Lanes) -> Bool {
        let halves = unsafe unsafeBitCast(lanes, to: SIMD2<UInt64>.self)
        return (halves[0] | halves[1]) & 0x8080_8080_8080_8080 != 0
    }

    /// The offsets from a range of characters, with the highest bit set, to values starting at one; zero for other
    /// characters.
    @inline(__always)
    private static func step(_ first: Unicode.Scalar, _ last: Unicode.Scalar, to value: Int8, _ lanes: Lanes) -> Lanes {
        let (first, last) = (octet(first), octet(last))
        // Shifts the range up until its last character is the largest integer, so that one comparison replaces two.
        let areWithin = areAbove(.max - (last - first) - 1, lanes &+ Lanes(repeating: .max - last))
        return areWithin & Lanes(repeating: value - first &+ .min)
    }

    /// The offset from one character, with the highest bit set, to a value; zero for other characters.
    @inline(__always)
    private static func step(_ character: Unicode.Scalar, to value: Int8, _ lanes: Lanes) -> Lanes {
        let areEqual = unsafe unsafeBitCast(lanes .== Lanes(repeating: octet(character)), to: Lanes.self)
        return areEqual & Lanes(repeating: value - octet(character) &+ .min)
    }

    /// All bits set in each lane that is above a number.
    @inline(__always)
    private static func areAbove(_ bound: Int8, _ lanes: Lanes) -> Lanes {
        unsafe unsafeBitCast(lanes .> Lanes(repeating: bound), to: Lanes.self)
    }

    @inline(__always)
    private static func octet(_ character: Unicode.Scalar) -> Int8 {
        Int8(truncatingIfNeeded: character.value)
    }
}
