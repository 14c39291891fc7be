// SPDX-License-Identifier: Apache-2.0

/// Four characters of base64url as three bytes.
///
/// The table has a quarter for each place of a character in its group, so that the values only have to be joined. The first
/// of the three bytes is the lowest: all platforms of this package are little-endian.
enum Base64URLGroup {
    /// A bit that no value has: what stands for it is not of the alphabet.
    static let invalid: UInt32 = 1 << 31

    static let table: [UInt32] = {
        var table = [UInt32](repeating: invalid, count: 4 * 256)
        for (value, character) in Base64URL.alphabet.enumerated() {
            for place in 0..<4 {
                // The value stands in the group with the first character highest; the bytes are then turned round.
                let group = UInt32(value) << UInt32(18 - 6 * place)
                table[256 * place + Int(character)] = group.byteSwapped >> 8
            }
        }
        return table
    }()

    /// Four characters, the first one lowest; the last of them is inside the text.
    static func load(_ text: Span<UInt8>, at index: Int) -> UInt32 {
        unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self)
    }

    /// Three bytes in the lower 24 bits, or ``invalid`` and anything else.
    static func pack(_ characters: UInt32, _ table: UnsafeBufferPointer<UInt32>) -> UInt32 {
        // A byte is below 256: no index reaches the next quarter.
        unsafe table[Int(characters & 0xFF)] | table[256 + Int(characters >> 8 & 0xFF)]
            | table[512 + Int(characters >> 16 & 0xFF)] | table[768 + Int(characters >> 24)]
    }
}
