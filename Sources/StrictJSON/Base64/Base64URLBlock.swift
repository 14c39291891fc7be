// SPDX-License-Identifier: Apache-2.0

/// Sixteen characters of base64url, which stand for twelve bytes.
///
/// No table is asked and no branch taken by what is read or written, so that neither the time nor the memory that is touched
/// tells anything of a secret: private keys, tokens and client secrets go through here. All platforms of this package are
/// little-endian.
enum Base64URLBlock {
    /// Characters, or the numbers of six bits that they stand for.
    typealias Lanes = SIMD16<Int8>

    /// What characters stand for; a negative number for one that is not of the alphabet.
    @inline(__always)
    static func values(of characters: Lanes) -> Lanes {
        var steps = step("A", "Z", to: 0, characters)
        steps |= step("a", "z", to: 26, characters)
        steps |= step("0", "9", to: 52, characters)
        steps |= step("-", to: 62, characters)
        steps |= step("_", to: 63, characters)
        // The highest bit stays where no step takes it away.
        return (characters | Lanes(repeating: .min)) &+ steps
    }

    /// The characters that stand for numbers of six bits.
    @inline(__always)
    static func characters(of values: Lanes) -> Lanes {
        var characters = values &+ Lanes(repeating: octet("A"))
        // From the character that would come next to the one that does.
        characters = characters &+ (areAbove(25, values) & Lanes(repeating: octet("a") - octet("[")))
        characters = characters &+ (areAbove(51, values) & Lanes(repeating: octet("0") - octet("{")))
        characters = characters &+ (areAbove(61, values) & Lanes(repeating: octet("-") - octet(":")))
        return characters &+ (areAbove(62, values) & Lanes(repeating: octet("_") - octet(".")))
    }

    /// Joins numbers of six bits: six bytes in each half, the first of them lowest, and anything above.
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

    /// Numbers of six bits out of the lower three bytes of each group, the first of them lowest.
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

    /// What takes characters of a range, with the highest bit set, to numbers from one on; zero for other characters.
    @inline(__always)
    private static func step(_ first: Unicode.Scalar, _ last: Unicode.Scalar, to value: Int8, _ lanes: Lanes) -> Lanes {
        let (first, last) = (octet(first), octet(last))
        // Moved up until the last one is the highest number there is, which makes one comparison of two.
        let areWithin = areAbove(.max - (last - first) - 1, lanes &+ Lanes(repeating: .max - last))
        return areWithin & Lanes(repeating: value - first &+ .min)
    }

    /// What takes one character, with the highest bit set, to a number; zero for other characters.
    @inline(__always)
    private static func step(_ character: Unicode.Scalar, to value: Int8, _ lanes: Lanes) -> Lanes {
        let areEqual = unsafe unsafeBitCast(lanes .== Lanes(repeating: octet(character)), to: Lanes.self)
        return areEqual & Lanes(repeating: value - octet(character) &+ .min)
    }

    /// All bits where a lane is above a number.
    @inline(__always)
    private static func areAbove(_ bound: Int8, _ lanes: Lanes) -> Lanes {
        unsafe unsafeBitCast(lanes .> Lanes(repeating: bound), to: Lanes.self)
    }

    @inline(__always)
    private static func octet(_ character: Unicode.Scalar) -> Int8 {
        Int8(truncatingIfNeeded: character.value)
    }
}
