// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// Strict base64url without padding (RFC 7515 section 2).
///
/// Each byte string has exactly one encoding: padding, white space, the alphabet of plain base64 and non-zero unused
/// bits at the end are rejected. A value therefore cannot appear in two spellings.
public enum Base64URL {
    /// Encodes bytes as text.
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: Four characters for every three bytes, without padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encodeToBytes(bytes), as: UTF8.self)
    }

    /// Decodes a text to bytes.
    ///
    /// - Parameter text: Base64url without padding.
    /// - Returns: The bytes.
    /// - Throws: ``StrictJSONError`` – ``StrictJSONError/Code/malformedBase64``.
    public static func decode(_ text: String) throws(StrictJSONError) -> [UInt8] {
        try text.withUTF8Span { bytes throws(StrictJSONError) in try decode(bytes) }
    }

    /// Encodes bytes as ASCII bytes.
    package static func encodeToBytes(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        append(bytes, to: &output)
        return output
    }

    /// Appends the encoding as ASCII bytes to a buffer.
    package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        bytes.withSpan { append($0, to: &output) }
    }

    /// Appends the encoding as ASCII bytes to a buffer.
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: (bytes.count * 4 + 2) / 3) { characters in
            unsafe encode(bytes, to: characters)
            unsafe output.append(contentsOf: characters)
        }
    }

    /// Decodes ASCII bytes.
    package static func decode(_ text: ArraySlice<UInt8>) throws(StrictJSONError) -> [UInt8] {
        try unsafe text.withUnsafeBufferPointer { buffer throws(StrictJSONError) in
            try unsafe decode(Span(_unsafeElements: buffer))
        }
    }

    /// Decodes ASCII bytes.
    package static func decode(_ text: Span<UInt8>) throws(StrictJSONError) -> [UInt8] {
        try unsafe array(ofCount: decodedCount(of: text)) { unsafe decode(text, to: $0) }
    }

    /// Decodes three texts into one buffer.
    package static func decode(
        _ first: Span<UInt8>,
        _ second: Span<UInt8>,
        _ third: Span<UInt8>
    ) throws(StrictJSONError) -> [UInt8] {
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

    /// Creates an array that a function fills.
    private static func array(
        ofCount size: Int,
        _ body: (UnsafeMutableRawBufferPointer) -> Outcome
    ) throws(StrictJSONError) -> [UInt8] {
        var bytes = [UInt8](zeros: size)
        switch unsafe bytes.withUnsafeMutableBytes({ unsafe body($0) }) {
        case .decoded: return bytes
        case .leftOver:
            throw StrictJSONError(.malformedBase64, "a single character is left over: the text was cut")
        case .unknownCharacter:
            throw StrictJSONError(
                .malformedBase64,
                "a character is not a letter, a digit, '-' or '_' (base64url has no padding)"
            )
        case .unusedBits:
            throw StrictJSONError(.malformedBase64, "the unused bits of the last character are not zero")
        }
    }

    /// The number of bytes that a valid text of this length encodes.
    package static func decodedCount(of text: Span<UInt8>) -> Int {
        text.count / 4 * 3 + max(0, text.count % 4 - 1)
    }

    /// Decodes a short text on the stack, and calls a function with the bytes; `nil` if ``decode(_:)`` would reject it.
    @inlinable
    package static func withDecoded<Value>(_ text: Span<UInt8>, _ body: (Span<UInt8>) -> Value?) -> Value? {
        var value: Value?
        readDecoded(text) { value = body($0) }
        return value
    }

    /// Decodes a short text on the stack, and calls a function with the bytes, unless ``decode(_:)`` would reject it.
    @usableFromInline
    package static func readDecoded(_ text: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        unsafe withUnsafeTemporaryAllocation(byteCount: decodedCount(of: text), alignment: 1) { output in
            guard unsafe decode(text, to: output) == .decoded else { return }
            unsafe body(Span(_unsafeElements: UnsafeBufferPointer(output.assumingMemoryBound(to: UInt8.self))))
        }
    }

    /// Decodes 43 characters; `nil` for any other length, and for text that ``decode(_:)`` would reject.
    package static func decodeBytes32(_ text: Span<UInt8>) -> Bytes32? {
        guard text.count == 43 else { return nil }
        var octets = Bytes32()
        let outcome = octets.withMutableBytes { target in
            unsafe target.withUnsafeMutableBytes { unsafe decode(text, to: $0) }
        }
        return outcome == .decoded ? octets : nil
    }
}
