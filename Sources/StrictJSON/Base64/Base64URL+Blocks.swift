// SPDX-License-Identifier: Apache-2.0

/// Processes sixteen characters at a time, and the rest in groups of four.
extension Base64URL {
    /// The result of decoding.
    enum Outcome {
        case decoded
        case leftOver
        case unknownCharacter
        case unusedBits
    }

    /// Decodes to the number of bytes that the text encodes.
    static func decode(_ text: Span<UInt8>, to output: UnsafeMutableRawBufferPointer) -> Outcome {
        guard text.count % 4 != 1 else { return .leftOver }
        guard var (read, written) = unsafe decodeBlocks(text, to: output) else { return .unknownCharacter }
        var behind: UInt32 = 0
        while read < text.count {
            let count = min(4, text.count &- read)
            guard let bytes = Base64URLGroup.join(loadGroup(text, at: read, count, Base64URLGroup.zeros)) else {
                return .unknownCharacter
            }
            unsafe storeGroup(bytes, count &- 1, to: output, at: written)
            behind = bytes >> UInt32(8 &* (count &- 1))
            read &+= 4
            written &+= 3
        }
        // If the last group encodes one or two bytes, its unused bits must be zero.
        return behind == 0 ? .decoded : .unusedBits
    }

    /// Decodes all groups of four characters that blocks of four groups cover.
    ///
    /// Returns the numbers of characters read and bytes written; `nil` if a character is not in the alphabet.
    ///
    /// If the number of groups is not a multiple of four, the last block overlaps the one before it.
    @inline(__always)
    private static func decodeBlocks(
        _ text: Span<UInt8>,
        to output: UnsafeMutableRawBufferPointer
    ) -> (read: Int, written: Int)? {
        guard output.count >= 12 else { return (0, 0) }
        let lastGroup = (output.count &- 12) / 3
        var group = 0
        var seen = Base64URLBlock.Lanes()
        while true {
            let characters = unsafe text.bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: 4 &* group,
                as: Base64URLBlock.Lanes.self
            )
            let values = Base64URLBlock.values(of: characters)
            seen |= values
            let (first, second) = Base64URLBlock.join(values)
            let start = 3 &* group
            unsafe output.storeBytes(of: first, toByteOffset: start, as: UInt64.self)
            unsafe output.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: start &+ 6, as: UInt32.self)
            let end = UInt16(truncatingIfNeeded: second >> 32)
            unsafe output.storeBytes(of: end, toByteOffset: start &+ 10, as: UInt16.self)
            if group == lastGroup { break }
            group = min(group &+ 4, lastGroup)
        }
        return Base64URLBlock.isAnyNegative(seen) ? nil : (4 &* group &+ 16, 3 &* group &+ 12)
    }

    /// Encodes three bytes at 3n to four characters at 4n; one or two bytes at the end to two or three.
    ///
    /// `characters` has exactly the length of the text. Each character is written to its own position.
    package static func encode(_ bytes: Span<UInt8>, to characters: UnsafeMutableBufferPointer<UInt8>) {
        let output = UnsafeMutableRawBufferPointer(characters)
        var (read, written) = unsafe encodeBlocks(bytes, to: output)
        while read < bytes.count {
            let count = min(3, bytes.count &- read)
            let group = Base64URLGroup.split(loadGroup(bytes, at: read, count, 0))
            unsafe storeGroup(group, count &+ 1, to: output, at: written)
            read &+= 3
            written &+= 4
        }
    }

    /// Encodes all groups of three bytes that blocks of four groups cover.
    ///
    /// Returns the numbers of bytes read and written.
    ///
    /// It also loads the byte after each group, and ignores it: the last block ends early enough that this byte is in
    /// bounds. If the number of groups is not a multiple of four, the last block overlaps the one before it.
    @inline(__always)
    private static func encodeBlocks(
        _ bytes: Span<UInt8>,
        to output: UnsafeMutableRawBufferPointer
    ) -> (read: Int, written: Int) {
        guard bytes.count >= 13 else { return (0, 0) }
        let lastGroup = (bytes.count &- 13) / 3
        var group = 0
        while true {
            let values = Base64URLBlock.split(
                unsafe (
                    load(bytes, at: 3 &* group), load(bytes, at: 3 &* group &+ 3), load(bytes, at: 3 &* group &+ 6),
                    load(bytes, at: 3 &* group &+ 9)
                )
            )
            unsafe output.storeBytes(
                of: Base64URLBlock.characters(of: values),
                toByteOffset: 4 &* group,
                as: Base64URLBlock.Lanes.self
            )
            if group == lastGroup { break }
            group = min(group &+ 4, lastGroup)
        }
        return (3 &* group &+ 12, 4 &* group &+ 16)
    }

    /// Loads four bytes, little-endian; all must be in bounds.
    @unsafe
    @inline(__always)
    private static func load(_ octets: Span<UInt8>, at index: Int) -> UInt32 {
        unsafe octets.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt32.self)
    }

    /// Loads one to four bytes, little-endian, and fills the rest with bytes of a padding value.
    @inline(__always)
    private static func loadGroup(_ octets: Span<UInt8>, at index: Int, _ count: Int, _ filling: UInt32) -> UInt32 {
        var group = filling
        for place in 0..<count {
            let shift = UInt32(8 &* place)
            group = group & ~(0xFF << shift) | UInt32(octets[index &+ place]) << shift
        }
        return group
    }

    /// Stores the lowest bytes of a group.
    @inline(__always)
    private static func storeGroup(
        _ group: UInt32,
        _ count: Int,
        to output: UnsafeMutableRawBufferPointer,
        at index: Int
    ) {
        for place in 0..<count {
            unsafe output[index &+ place] = UInt8(truncatingIfNeeded: group >> UInt32(8 &* place))
        }
    }
}
