// SPDX-License-Identifier: Apache-2.0

/// Two to four characters of base64url, which stand for one to three bytes; the first is the lowest.
///
/// As ``Base64URLBlock``, of which the rest stays empty.
enum Base64URLGroup {
    /// Four characters for zeros.
    static var zeros: UInt32 { 0x0101_0101 * UInt32(UInt8(ascii: "A")) }

    /// Three bytes for four characters; `nil` when one is not of the alphabet.
    static func join(_ characters: UInt32) -> UInt32? {
        let block = SIMD4(characters, zeros, zeros, zeros)
        let values = Base64URLBlock.values(of: unsafe unsafeBitCast(block, to: Base64URLBlock.Lanes.self))
        guard !Base64URLBlock.isAnyNegative(values) else { return nil }
        return UInt32(truncatingIfNeeded: Base64URLBlock.join(values).0)
    }

    /// Four characters for three bytes.
    static func split(_ bytes: UInt32) -> UInt32 {
        let characters = Base64URLBlock.characters(of: Base64URLBlock.split((bytes, 0, 0, 0)))
        return unsafe unsafeBitCast(characters, to: SIMD4<UInt32>.self)[0]
    }
}
