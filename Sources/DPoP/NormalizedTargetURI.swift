// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// Recognizes URIs that are already normalized, as nearly all are, without parsing them.
enum NormalizedTargetURI {
    /// The URI without query and fragment; `nil` if it needs the full parser.
    ///
    /// Accepted are `https://` or `http://`, a host of lower-case letters, digits, dots and hyphens, a port that is not the
    /// scheme's own, and a path without percent signs, empty first segment and dot segments. Everything after the port
    /// consists of characters that need no encoding (RFC 3986 sections 3.3 to 3.5).
    static func prefix(of text: String) -> String? {
        text.withUTF8Span { bytes in
            guard let count = countOfPrefix(in: bytes) else { return nil }
            // Most URIs have no query: no copy is needed.
            if count == bytes.count { return text }
            return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0[..<count], as: UTF8.self) }
        }
    }

    private static func countOfPrefix(in text: Span<UInt8>) -> Int? {
        guard text.count <= URI.maximumLength,
            let (scheme, port) = schemes.first(where: { $0.text.withSpan { text.starts(with: $0) } })
        else { return nil }
        var index = scheme.count
        while index < text.count, isHostCharacter(text[index]) { index += 1 }
        guard index > scheme.count, let start = endOfPort(text, from: index, otherThan: port),
            let end = endOfPath(text, from: start), isPlainRest(text, from: end)
        else { return nil }
        return end
    }

    /// Each with the port that its URIs leave out.
    private static let schemes: [(text: [UInt8], port: Int)] = [
        (Array("https://".utf8), 443), (Array("http://".utf8), 80),
    ]

    /// Where a port ends that is written as it is normalized: without zeros before it.
    private static func endOfPort(_ text: Span<UInt8>, from start: Int, otherThan standard: Int) -> Int? {
        guard start < text.count, text[start] == UInt8(ascii: ":") else { return start }
        var index = start + 1
        var port = 0
        while index < text.count, ASCII.isDigit(text[index]), port <= 65_535 {
            port = 10 * port + Int(text[index] - UInt8(ascii: "0"))
            guard port > 0 else { return nil }
            index += 1
        }
        return (1...65_535).contains(port) && port != standard ? index : nil
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || ASCII.isDigit(byte) || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-")
    }

    private static func endOfPath(_ text: Span<UInt8>, from start: Int) -> Int? {
        let slash = UInt8(ascii: "/")
        guard start < text.count, text[start] == slash else { return nil }
        var index = start + 1
        if index < text.count, text[index] == slash { return nil }
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { return index }
            // A dot at the start of a segment may belong to a dot segment, which normalization removes.
            guard isPathCharacter(byte), text[index - 1] != slash || byte != UInt8(ascii: ".") else { return nil }
            index += 1
        }
        return index
    }

    /// Whether the rest is a query and nothing after it: a second `#` is a fragment or an error.
    private static func isPlainRest(_ text: Span<UInt8>, from start: Int) -> Bool {
        guard start < text.count else { return true }
        guard text[start] == UInt8(ascii: "?") else { return false }
        for index in start + 1..<text.count where !isPathCharacter(text[index]) { return false }
        return true
    }

    /// Unreserved characters, sub-delimiters and what else separates parts (RFC 3986 section 3.3), a bit each: of the
    /// characters below 64 in the first word, of those below 128 in the second.
    private static func isPathCharacter(_ byte: UInt8) -> Bool {
        if byte < 0x40 { return 0x2FFF_FFD2_0000_0000 >> UInt64(byte) & 1 == 1 }
        return byte < 0x80 && 0x47FF_FFFE_87FF_FFFF >> UInt64(byte - 0x40) & 1 == 1
    }
}
