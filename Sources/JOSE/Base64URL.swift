// SPDX-License-Identifier: Apache-2.0

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
        try decode(Array(text.utf8)[...])
    }

    /// Encodes bytes as ASCII bytes.
    package static func encodeToBytes(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        append(bytes, to: &output)
        return output
    }

    /// Encodes bytes as ASCII bytes, after what stands in a buffer.
    package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: (bytes.count * 4 + 2) / 3))
        unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe encode(bytes, to: UnsafeMutableBufferPointer(rebasing: output[start...]))
        }
    }

    /// Decodes ASCII bytes.
    package static func decode(_ text: ArraySlice<UInt8>) throws(JOSEError) -> [UInt8] {
        guard text.count % 4 != 1 else {
            throw JOSEError(.malformedBase64URL, "a single character is left over: the text was cut")
        }
        var isValid = true
        var output = unsafe [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 4) { output, count in
            (isValid, count) = unsafe decodeGroups(text, to: output)
        }
        guard isValid else { throw unknownCharacter }
        try decodeTail(text.suffix(text.count % 4), to: &output)
        return output
    }

    /// Decodes all groups of four characters; returns whether all are of the alphabet, and how many bytes were written.
    ///
    /// Group number n is read at 4n to 4n + 3, below `text.count`, and written at 3n to 3n + 3: the fourth byte is one that
    /// the group after it overwrites. `output` has room for three bytes a group and four more.
    private static func decodeGroups(
        _ text: ArraySlice<UInt8>,
        to output: UnsafeMutableBufferPointer<UInt8>
    ) -> (isValid: Bool, count: Int) {
        unsafe text.withUnsafeBufferPointer { text in
            unsafe Base64URLGroup.table.withUnsafeBufferPointer { table in
                let output = UnsafeMutableRawBufferPointer(output)
                let groups = text.count / 4
                var seen: UInt32 = 0
                for group in 0..<groups {
                    let at = 4 * group
                    let packed = unsafe Base64URLGroup.pack(text[at], text[at + 1], text[at + 2], text[at + 3], table)
                    seen |= packed
                    unsafe output.storeBytes(of: packed, toByteOffset: 3 * group, as: UInt32.self)
                }
                return (seen < Base64URLGroup.invalid, 3 * groups)
            }
        }
    }

    /// Two or three characters stand for one or two bytes.
    ///
    /// Filled up to four characters with those for zero, they must give zeros behind those bytes.
    private static func decodeTail(_ tail: ArraySlice<UInt8>, to output: inout [UInt8]) throws(JOSEError) {
        guard !tail.isEmpty else { return }
        let first = tail.startIndex
        let zero = UInt8(ascii: "A")
        let packed = unsafe Base64URLGroup.table.withUnsafeBufferPointer { table in
            unsafe Base64URLGroup.pack(
                tail[first],
                tail[first + 1],
                tail.count > 2 ? tail[first + 2] : zero,
                zero,
                table
            )
        }
        guard packed < Base64URLGroup.invalid else { throw unknownCharacter }
        guard packed >> UInt32(8 * (tail.count - 1)) == 0 else {
            throw JOSEError(.malformedBase64URL, "the unused bits of the last character are not zero")
        }
        for position in 0..<tail.count - 1 {
            output.append(UInt8(truncatingIfNeeded: packed >> UInt32(8 * position)))
        }
    }

    private static var unknownCharacter: JOSEError {
        JOSEError(.malformedBase64URL, "a character is not a letter, a digit, '-' or '_' (base64url has no padding)")
    }

    /// Three bytes at 3n become four characters at 4n; one or two bytes at the end become two or three.
    ///
    /// `output` is as long as the text, so every character has its place, and is touched nowhere else. Six bits choose one
    /// of the 64 places of the alphabet.
    private static func encode(_ bytes: [UInt8], to output: UnsafeMutableBufferPointer<UInt8>) {
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
