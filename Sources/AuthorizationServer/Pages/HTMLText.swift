// SPDX-License-Identifier: Apache-2.0

/// HTML that is safe to send with untrusted texts in it, such as client names (RFC 7591 section 5).
///
/// Write it as a string literal. The literal itself is markup. A `String` interpolated with `\(...)` is escaped for
/// element content and for quoted attribute values, so escaping cannot be forgotten.
struct HTMLText: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup.
    let markup: String

    init(stringLiteral value: String) {
        markup = value
    }

    init(stringInterpolation: Interpolation) {
        markup = stringInterpolation.markup
    }

    /// Escapes a text.
    init(escaping text: String) {
        markup = Self.escaped(text)
    }

    /// Joins pieces, one per line.
    init(lines: [HTMLText]) {
        markup = lines.map(\.markup).joined(separator: "\n")
    }

    /// The markup.
    var description: String { markup }

    /// Collects the parts of a literal.
    struct Interpolation: StringInterpolationProtocol {
        var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            markup.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        mutating func appendLiteral(_ literal: String) {
            markup += literal
        }

        /// Escapes a text.
        mutating func appendInterpolation(_ text: String) {
            markup += HTMLText.escaped(text)
        }

        /// Appends markup unchanged.
        mutating func appendInterpolation(_ html: HTMLText) {
            markup += html.markup
        }

        /// Appends markup, if there is any.
        mutating func appendInterpolation(_ html: HTMLText?) {
            markup += html?.markup ?? ""
        }

        /// Appends markup if a condition holds.
        mutating func appendInterpolation(_ html: HTMLText, if condition: Bool) {
            if condition { markup += html.markup }
        }

        /// Appends a name, isolated from the text direction around it.
        mutating func appendInterpolation(_ name: DisplayName) {
            markup += "<bdi>\(HTMLText.escaped(name.text))</bdi>"
        }
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { replacement(for: $0) != nil }) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            if let replacement = replacement(for: byte) {
                escaped.append(contentsOf: replacement.utf8)
            } else {
                escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func replacement(for byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        // A parser converts a bare CR to LF, and HTML does not allow NUL.
        case 0x0D: "&#13;"
        case 0x00: "\u{FFFD}"
        default: nil
        }
    }
}
