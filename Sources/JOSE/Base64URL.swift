// SPDX-License-Identifier: Apache-2.0

package import OAuthCrypto

/// Base64url without padding (RFC 7515 section 2), strict.
///
/// There is exactly one text for any bytes: padding, white space, the alphabet of plain base64 and non-zero unused bits
/// at the end are refused, so that a value cannot be disguised as another one.
public enum Base64URL {
    /// Encodes bytes.
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: Four characters for three bytes, no padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encodeToBytes(bytes), as: UTF8.self)
    }

    /// Decodes a text.
    ///
    /// - Parameter text: Base64url without padding.
    /// - Returns: The bytes.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedBase64URL``.
    public static func decode(_ text: String) throws(JOSEError) -> [UInt8] {
        try text.withUTF8Span { bytes throws(JOSEError) in try decode(bytes) }
    }

    /// Encodes bytes as ASCII bytes.
    package static func encodeToBytes(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        append(bytes, to: &output)
        return output
    }

    /// Encodes bytes as ASCII bytes, after what stands in a buffer.
    package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        bytes.withSpan { append($0, to: &output) }
    }

    /// Encodes bytes as ASCII bytes, after what stands in a buffer.
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: (bytes.count * 4 + 2) / 3) { characters in
            unsafe encode(bytes, to: characters)
            unsafe output.append(contentsOf: characters)
        }
    }

    /// Decodes ASCII bytes.
    package static func decode(_ text: ArraySlice<UInt8>) throws(JOSEError) -> [UInt8] {
        try unsafe text.withUnsafeBufferPointer { buffer throws(JOSEError) in
            try unsafe decode(Span(_unsafeElements: buffer))
        }
    }

    /// Decodes ASCII bytes.
    package static func decode(_ text: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        try unsafe array(ofCount: decodedCount(of: text)) { unsafe decode(text, to: $0) }
    }

    /// Decodes three texts, one behind the other.
    static func decode(
        _ first: Span<UInt8>,
        _ second: Span<UInt8>,
        _ third: Span<UInt8>
    ) throws(JOSEError) -> [UInt8] {
        let secondStart = decodedCount(of: first)
        let thirdStart = secondStart + decodedCount(of: second)
        return try unsafe array(ofCount: thirdStart + decodedCount(of: third)) { output in
            let outcome = unsafe decode(first, to: .init(rebasing: output[..<secondStart]))
            guard outcome == .decoded else { return outcome }
            let other = unsafe decode(second, to: .init(rebasing: output[secondStart..<thirdStart]))
            guard other == .decoded else { return other }
            return unsafe decode(third, to: .init(rebasing: output[thirdStart...]))
        }
    }

    /// Bytes that a function writes.
    private static func array(
        ofCount size: Int,
        _ body: (UnsafeMutableRawBufferPointer) -> Outcome
    ) throws(JOSEError) -> [UInt8] {
        var bytes = [UInt8](zeros: size)
        switch unsafe bytes.withUnsafeMutableBytes({ unsafe body($0) }) {
        case .decoded: return bytes
        case .leftOver:
            throw JOSEError(.malformedBase64URL, "a single character is left over: the text was cut")
        case .unknownCharacter:
            throw JOSEError(
                .malformedBase64URL,
                "a character is not a letter, a digit, '-' or '_' (base64url has no padding)"
            )
        case .unusedBits:
            throw JOSEError(.malformedBase64URL, "the unused bits of the last character are not zero")
        }
    }

    /// How many bytes a text stands for, if it is one.
    static func decodedCount(of text: Span<UInt8>) -> Int {
        text.count / 4 * 3 + max(0, text.count % 4 - 1)
    }

    /// Calls a function with the bytes of a short text, decoded on the stack; `nil` for what ``decode(_:)`` refuses.
    @inlinable
    package static func withDecoded<Value>(_ text: Span<UInt8>, _ body: (Span<UInt8>) -> Value?) -> Value? {
        var value: Value?
        readDecoded(text) { value = body($0) }
        return value
    }

    /// Calls a function with the bytes of a short text, decoded on the stack; not for what ``decode(_:)`` refuses.
    @usableFromInline
    package static func readDecoded(_ text: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        unsafe withUnsafeTemporaryAllocation(byteCount: decodedCount(of: text), alignment: 1) { output in
            guard unsafe decode(text, to: output) == .decoded else { return }
            unsafe body(Span(_unsafeElements: UnsafeBufferPointer(output.assumingMemoryBound(to: UInt8.self))))
        }
    }

    /// Decodes 43 characters; `nil` for any other length, and for what ``decode(_:)`` refuses.
    package static func decodeOctets32(_ text: Span<UInt8>) -> Octets32? {
        guard text.count == 43 else { return nil }
        var octets = Octets32()
        let outcome = octets.withMutableBytes { target in
            unsafe target.withUnsafeMutableBytes { unsafe decode(text, to: $0) }
        }
        return outcome == .decoded ? octets : nil
    }

    private enum Outcome {
        case decoded
        case leftOver
        case unknownCharacter
        case unusedBits
    }

    /// Decodes to as many bytes as the text stands for.
    private static func decode(_ text: Span<UInt8>, to output: UnsafeMutableRawBufferPointer) -> Outcome {
        guard text.count % 4 != 1 else { return .leftOver }
        return unsafe Base64URLGroup.table.withUnsafeBufferPointer { table in
            guard unsafe decodeGroups(text, to: output, table), let tail = unsafe tail(of: text, table) else {
                return .unknownCharacter
            }
            return unsafe write(tail, ofLength: text.count % 4, to: output) ? .decoded : .unusedBits
        }
    }

    /// Decodes all groups of four characters; returns whether all are of the alphabet.
    ///
    /// Group number n is read at 4n to 4n + 3, below `text.count`, and written at 3n to 3n + 2. Where the byte behind it is
    /// inside `output` too, it is written as well: the next group or the tail overwrites it.
    @inline(__always)
    private static func decodeGroups(
        _ text: Span<UInt8>,
        to output: UnsafeMutableRawBufferPointer,
        _ table: UnsafeBufferPointer<UInt32>
    ) -> Bool {
        let groups = text.count / 4
        let wideGroups = min(groups, max(0, (output.count - 1) / 3))
        var seen: UInt32 = 0
        for group in 0..<wideGroups {
            let packed = unsafe Base64URLGroup.pack(Base64URLGroup.load(text, at: 4 * group), table)
            seen |= packed
            unsafe output.storeBytes(of: packed, toByteOffset: 3 * group, as: UInt32.self)
        }
        for group in wideGroups..<groups {
            let packed = unsafe Base64URLGroup.pack(Base64URLGroup.load(text, at: 4 * group), table)
            seen |= packed
            for place in 0..<3 {
                unsafe output[3 * group + place] = UInt8(truncatingIfNeeded: packed >> UInt32(8 * place))
            }
        }
        return seen < Base64URLGroup.invalid
    }

    /// What the two or three characters at the end stand for, zero without any; `nil` when one is not of the alphabet.
    @inline(__always)
    private static func tail(of text: Span<UInt8>, _ table: UnsafeBufferPointer<UInt32>) -> UInt32? {
        let count = text.count % 4
        // Filled up to four characters with those for zero.
        var characters = UInt32(UInt8(ascii: "A")) &* 0x0101_0101 << UInt32(8 * count)
        for place in 0..<count { characters |= UInt32(text[text.count - count + place]) << UInt32(8 * place) }
        let packed = unsafe Base64URLGroup.pack(characters, table)
        return packed < Base64URLGroup.invalid ? packed : nil
    }

    /// Two or three characters stand for one or two bytes, and must give zeros behind those; returns whether they do.
    private static func write(_ tail: UInt32, ofLength count: Int, to output: UnsafeMutableRawBufferPointer) -> Bool {
        guard count > 0 else { return true }
        for place in 0..<count - 1 {
            unsafe output[output.count - count + 1 + place] = UInt8(truncatingIfNeeded: tail >> UInt32(8 * place))
        }
        return tail >> UInt32(8 * (count - 1)) == 0
    }

    /// Three bytes at 3n become four characters at 4n; one or two bytes at the end become two or three.
    ///
    /// `output` is as long as the text, so every character has its place, and is touched nowhere else. Six bits choose one
    /// of the 64 places of the alphabet.
    static func encode(_ bytes: Span<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe alphabet.withUnsafeBufferPointer { alphabet in
                let groups = bytes.count / 3
                for group in 0..<groups {
                    let (a, b, c) = unsafe (bytes[3 * group], bytes[3 * group + 1], bytes[3 * group + 2])
                    unsafe output[4 * group] = alphabet[Int(a >> 2)]
                    unsafe output[4 * group + 1] = alphabet[Int((a << 4 | b >> 4) & 63)]
                    unsafe output[4 * group + 2] = alphabet[Int((b << 2 | c >> 6) & 63)]
                    unsafe output[4 * group + 3] = alphabet[Int(c & 63)]
                }
                guard bytes.count > 3 * groups else { return }
                let hasTwo = bytes.count == 3 * groups + 2
                let a = unsafe bytes[3 * groups]
                let b = unsafe hasTwo ? bytes[3 * groups + 1] : 0
                unsafe output[4 * groups] = alphabet[Int(a >> 2)]
                unsafe output[4 * groups + 1] = alphabet[Int((a << 4 | b >> 4) & 63)]
                if hasTwo { unsafe output[4 * groups + 2] = alphabet[Int(b << 2 & 63)] }
            }
        }
    }

    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
