// SPDX-License-Identifier: Apache-2.0

/// A piece of HTML that is safe to send, whatever clients are called (RFC 7591 section 5): static markup from the source, with every other text escaped.
///
/// Write it as a string literal. What stands in the literal is markup; a `String` put in with `\(...)` is escaped for
/// element content and for quoted attribute values alike, so forgetting to escape is not possible.
struct HTMLText: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup.
    let markup: String

    init(stringLiteral value: String) {
        markup = value
    }

    init(stringInterpolation: Interpolation) {
        markup = stringInterpolation.markup
    }

    /// Makes a text of what is to be read as it is written, whatever it holds.
    init(escaping text: String) {
        markup = Self.escaped(text)
    }

    /// Puts pieces one after the other, each on a line of its own.
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

        /// Puts markup in as it is.
        mutating func appendInterpolation(_ html: HTMLText) {
            markup += html.markup
        }

        /// Puts markup in when there is some.
        mutating func appendInterpolation(_ html: HTMLText?) {
            markup += html?.markup ?? ""
        }

        /// Puts markup in when a condition holds.
        mutating func appendInterpolation(_ html: HTMLText, if condition: Bool) {
            if condition { markup += html.markup }
        }

        /// Shows a name, kept apart from the direction of the text around it.
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
        // A parser turns a bare CR into LF, and NUL has no place in HTML at all.
        case 0x0D: "&#13;"
        case 0x00: "\u{FFFD}"
        default: nil
        }
    }
}
