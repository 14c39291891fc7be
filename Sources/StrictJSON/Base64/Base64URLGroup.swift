// SPDX-License-Identifier: Apache-2.0

/// Two to four characters of base64url, which encode one to three bytes, little-endian.
///
/// Works like ``Base64URLBlock``, with the rest of the block empty.
enum Base64URLGroup {
    /// Four characters that encode zeros.
    static var zeros: UInt32 { 0x0101_0101 * UInt32(UInt8(ascii: "A")) }

    /// The three bytes of four characters; `nil` if one is not in the alphabet.
    static func join(_ characters: UInt32) -> UInt32? {
        let block = SIMD4(characters, zeros, zeros, zeros)
        let values = Base64URLBlock.values(of: unsafe unsafeBitCast(block, to: Base64URLBlock.Lanes.self))
        guard !Base64URLBlock.isAnyNegative(values) else { return nil }
        return UInt32(truncatingIfNeeded: Base64URLBlock.join(values).0)
    }

    /// The four characters of three bytes.
    static func split(_ bytes: UInt32) -> UInt32 {
        let characters = Base64URLBlock.characters(of: Base64URLBlock.split((bytes, 0, 0, 0)))
        return unsafe unsafeBitCast(characters, to: SIMD4<UInt32>.self)[0]
    }
}
