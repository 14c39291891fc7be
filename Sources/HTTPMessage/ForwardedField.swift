// SPDX-License-Identifier: Apache-2.0

/// The header field in which a proxy names the client that it forwards for.
public struct ForwardedField: Sendable, Hashable {
    /// The name of the field; its case does not matter.
    public let name: String

    /// `X-Forwarded-For`: addresses separated by commas.
    public static let xForwardedFor = Self(name: "X-Forwarded-For")
    /// `Forwarded` (RFC 7239).
    public static let forwarded = Self(name: "Forwarded")

    private init(name: String) {
        self.name = name
    }

    /// How many proxies are read; if there are more, those nearest to the server count.
    private static let maximumHops = 32

    /// The nodes that the fields name, the nearest first; `nil` for a node that is not an address, such as `unknown`
    /// and `_hidden`.
    func nodes(in fields: HTTPFields) -> [IPAddress?] {
        let elements = fields.values(for: name).flatMap { elementTexts(of: $0) }
        return elements.suffix(Self.maximumHops).reversed().map { element in
            self == .forwarded ? Self.forParameter(element).flatMap(Self.address) : Self.address(element)
        }
    }

    /// The elements of one field, in its order.
    ///
    /// The client may have written the beginning, so it must not be able to hide what a proxy added after it
    /// (RFC 7239 section 8.1). `X-Forwarded-For` has no quoted strings: every comma ends an element. In `Forwarded`
    /// a comma within a quoted string does not (RFC 7239 section 4, RFC 9110 section 5.6.4). If a quotation mark is
    /// left open, the client opened it, since proxies write whole elements: then every comma ends an element too.
    private func elementTexts(of value: String) -> [Substring] {
        let comma = UInt8(ascii: ",")
        if self == .forwarded, let elements = Self.split(value, at: comma) { return elements }
        return value.utf8.split(separator: comma, omittingEmptySubsequences: false).map { Self.trimmed(Array($0)) }
    }

    /// `for=` of one element (RFC 7239 section 4); `nil` unless it is there once.
    private static func forParameter(_ element: Substring) -> Substring? {
        guard let pairs = split(element, at: UInt8(ascii: ";")) else { return nil }
        let values = pairs.compactMap { pair -> Substring? in
            guard let equals = pair.firstIndex(of: "="), ASCII.isSameIgnoringCase(String(pair[..<equals]), "for") else {
                return nil
            }
            return pair[pair.index(after: equals)...]
        }
        guard values.count == 1, let value = values.first else { return nil }
        guard value.hasPrefix("\"") else { return value }
        // No address needs a backslash; a text with one is not an address.
        return value.count >= 2 && value.hasSuffix("\"") ? value.dropFirst().dropLast() : nil
    }

    /// An address with or without a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]"), isPort(text[text.index(after: bracket)...]) else {
                return nil
            }
            return IPAddress(parsing: text[text.index(after: text.startIndex)..<bracket])
        }
        if let address = IPAddress(parsing: text) { return address }
        guard let colon = text.firstIndex(of: ":"), isPort(text[colon...]) else { return nil }
        return IPAddress(parsing: text[..<colon])
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || text.hasPrefix(":") && (2...6).contains(text.utf8.count)
                && text.utf8.dropFirst().allSatisfy(ASCII.isDigit)
    }

    /// The parts between separators outside quotation marks, without surrounding white space; `nil` if a quotation mark
    /// is left open.
    private static func split(_ text: some StringProtocol, at separator: UInt8) -> [Substring]? {
        var parts: [Substring] = []
        var (part, isQuoted, isEscaped) = ([UInt8](), false, false)
        for byte in text.utf8 {
            if byte == separator, !isQuoted {
                parts.append(trimmed(part))
                part = []
                continue
            }
            part.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\"), isQuoted {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
        }
        return isQuoted ? nil : parts + [trimmed(part)]
    }

    private static func trimmed(_ bytes: [UInt8]) -> Substring {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let kept = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return Substring(String(decoding: Array(kept), as: UTF8.self))
    }
}
