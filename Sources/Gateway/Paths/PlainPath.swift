// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// A path that a gateway, a proxy and an API in any language read in the same way.
///
/// What programs are known to decode, merge, strip or resolve differently is rejected: empty and dot segments, path
/// parameters, backslashes, and the encodings of such characters.
struct PlainPath {
    /// What an API needs although not every program reads it in the same way.
    struct Exceptions: Sendable, Hashable {
        /// `%2F`, which then is a letter of its segment; not beside nothing or dots alone.
        var encodedSlashes = false
        /// `;`, plain or encoded.
        var semicolons = false
    }

    /// The segments, with unreserved characters decoded and hexadecimal digits in upper case; without an empty one at
    /// the end.
    let segments: [String]

    /// Reads a path; `nil` if it could be read in two ways.
    ///
    /// - Parameters:
    ///   - text: The path as it was sent, without the query.
    ///   - exceptions: What is allowed nevertheless.
    init?(_ text: some StringProtocol, except exceptions: Exceptions = Exceptions()) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"),
            let normalized = Self.normalize(bytes[1...], exceptions),
            Self.isUTF8(bytes)
        else { return nil }
        var segments = normalized.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if segments.last?.isEmpty ?? false { segments.removeLast() }
        guard segments.allSatisfy({ Self.isPlain($0, exceptions) }) else { return nil }
        self.segments = segments
    }

    private static func normalize(_ bytes: ArraySlice<UInt8>, _ exceptions: Exceptions) -> [UInt8]? {
        var result: [UInt8] = []
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let byte = bytes[position]
            guard byte == UInt8(ascii: "%") else {
                guard isAllowed(byte, exceptions) else { return nil }
                result.append(byte)
                position += 1
                continue
            }
            guard let encoded = encodedByte(bytes, at: position), isAllowed(encoded: encoded, exceptions) else {
                return nil
            }
            if ASCII.isUnreserved(encoded) {
                result.append(encoded)
            } else {
                result += [UInt8(ascii: "%"), hexDigit(encoded >> 4), hexDigit(encoded & 15)]
            }
            position += 3
        }
        return result
    }

    private static func isAllowed(_ byte: UInt8, _ exceptions: Exceptions) -> Bool {
        guard (0x21...0x7E).contains(byte) else { return false }
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "#"), UInt8(ascii: "?"): return false
        case UInt8(ascii: ";"): return exceptions.semicolons
        default: return true
        }
    }

    private static func isAllowed(encoded byte: UInt8, _ exceptions: Exceptions) -> Bool {
        guard !ASCII.isControl(byte) else { return false }
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "."): return false
        case UInt8(ascii: "/"): return exceptions.encodedSlashes
        case UInt8(ascii: ";"): return exceptions.semicolons
        default: return true
        }
    }

    /// Whether a segment is plain, and each part of it between encoded slashes.
    ///
    /// A program that decodes before it splits, or the next one behind it, takes the parts for segments (RFC 3986 section 2.4),
    /// and resolves `..%2Fpayments`.
    private static func isPlain(_ segment: String, _ exceptions: Exceptions) -> Bool {
        guard exceptions.encodedSlashes else { return isPlain(segment) }
        return segment.split(atText: "%2F").allSatisfy { isPlain($0) }
    }

    /// No empty segment, and no dot segment, even one with parameters: some servers drop those first.
    private static func isPlain(_ segment: some StringProtocol) -> Bool {
        let name = segment.utf8.prefix { $0 != UInt8(ascii: ";") }
        return !segment.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
            && !(name.isEmpty || segment.hasPrefix("%3B"))
            && !segment.hasPrefix(".%3B") && !segment.hasPrefix("..%3B")
    }

    /// Overlong encodings of a slash (`%C0%AF`) are no UTF-8.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var decoded: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%"), let byte = encodedByte(bytes[...], at: position) {
                decoded.append(byte)
                position += 3
            } else {
                decoded.append(bytes[position])
                position += 1
            }
        }
        return String(validating: decoded, as: UTF8.self) != nil
    }

    private static func encodedByte(_ bytes: ArraySlice<UInt8>, at position: Int) -> UInt8? {
        guard position + 2 < bytes.endIndex, let high = digit(bytes[position + 1]), let low = digit(bytes[position + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x41 + value - 10
    }
}
