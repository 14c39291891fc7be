// SPDX-License-Identifier: Apache-2.0

/// An absolute URI (RFC 3986), split into components and not decoded.
///
/// Every component stays as written: percent-encodings are kept, and so is the case of letters. Two values are equal if
/// their texts are equal byte by byte, as redirect URIs are compared (RFC 6749 section 3.1.2.3). To compare what URIs
/// identify, as for `htu` (RFC 9449 section 4.3, check 9), compare their ``normalized()`` forms.
///
/// This is not the URL of web browsers (WHATWG): a backslash, a space or a stray `%` is rejected, not repaired.
public struct URI: Sendable, Hashable, CustomStringConvertible {
    /// The longest text that ``init(parsing:)`` accepts, in bytes.
    public static let maximumLength = 8192

    private let text: String
    private let layout: URILayout

    /// Reads a URI.
    ///
    /// - Parameter text: A URI with a scheme, ASCII, at most ``maximumLength`` bytes. `http` and `https` need a host
    ///   (RFC 9110 section 4.2).
    /// - Throws: ``HTTPMessageError/Code/malformedURI``.
    public init(parsing text: String) throws(HTTPMessageError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw .malformedURI("the URI is longer than \(Self.maximumLength) bytes")
        }
        try self.init(parsing: Array(text.utf8))
    }

    /// Reads a URI of any length.
    init(parsing bytes: [UInt8]) throws(HTTPMessageError) {
        layout = try URIParser(bytes).layout()
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The scheme as written, without the colon.
    public var scheme: String { substring(layout.scheme) }

    /// The part of the authority before `@`; `nil` without `@`.
    public var userinfo: String? { layout.userinfo.map(substring) }

    /// The host, an IPv6 address with its brackets; `nil` without an authority (`urn:a:b`), empty in `file:///a`.
    public var host: String? { layout.host.map(substring) }

    /// The port; `nil` if there is none or it is empty (`http://a:/`).
    public var port: UInt16? { layout.port }

    /// The path; may be empty.
    public var path: String { substring(layout.path) }

    /// The query without `?`; `nil` without one, empty for a bare `?`.
    public var query: String? { layout.query.map(substring) }

    /// The fragment without `#`; `nil` without one, empty for a bare `#`.
    public var fragment: String? { layout.fragment.map(substring) }

    /// The text as parsed.
    public var description: String { text }

    /// The normalized scheme, host and port of an `http` or `https` URI: `https://auth.example.com` (RFC 6454 section
    /// 6.2).
    ///
    /// The default port is left out. `nil` for other schemes.
    public var origin: String? {
        let normalizer = URINormalizer(bytes: Array(text.utf8), layout: layout)
        guard let host = normalizer.host, normalizer.isHTTP else { return nil }
        return String(decoding: normalizer.scheme + Array("://".utf8) + host + normalizer.port, as: UTF8.self)
    }

    /// Whether the host is a loopback IP literal: `127.0.0.0/8` or `[::1]` (RFC 8252 section 8.3).
    ///
    /// The name `localhost` is not one: it may resolve to another address.
    public var isLoopbackIPLiteral: Bool {
        guard let host = layout.host else { return false }
        let bytes = Array(text.utf8)[host]
        if let address = IPv6Address(parsing: bytes.dropFirst().dropLast()), bytes.first == UInt8(ascii: "[") {
            return address.isLoopback
        }
        return IPv4Address(parsing: bytes)?.octets.first == 127
    }

    /// Whether two URIs have the same text, byte by byte.
    public static func == (left: URI, right: URI) -> Bool {
        left.text == right.text
    }

    /// Hashes the text.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    /// The normal form, in which equivalent URIs have the same text (RFC 3986 sections 6.2.2 and 6.2.3).
    ///
    /// Scheme and host become lower case, an IPv6 address gets the form of RFC 5952. A default port (80 for `http`, 443
    /// for `https`) and an empty port are removed. An empty path after an authority becomes `/`. Percent-encodings
    /// become upper case, those of unreserved characters are decoded, and dot segments are removed. `%2F` stays
    /// encoded, so decoding never changes the number of segments. A trailing slash, query and fragment are kept.
    /// Normalizing a normal form changes nothing.
    ///
    /// - Returns: The normalized URI; a canonical IPv6 host or the added `/` may make it longer than the original.
    /// - Throws: ``HTTPMessageError/Code/malformedURI`` if there is no authority and the path begins with `//` after
    ///   its dot segments are removed (`a:/.//b`): the text would then name a host.
    public func normalized() throws(HTTPMessageError) -> URI {
        try URI(parsing: URINormalizer(bytes: Array(text.utf8), layout: layout).normalized())
    }

    /// The URI with parameters added to its query.
    ///
    /// The existing query stays as it is, byte by byte (RFC 6749 section 3.1.2). The parameters are added after it,
    /// before the fragment.
    ///
    /// - Parameter parameters: The parameters to add; if empty, the URI does not change.
    /// - Returns: The longer URI; it may exceed ``maximumLength``.
    public func appendingQuery(_ parameters: FormParameters) -> URI {
        guard !parameters.all.isEmpty else { return self }
        let bytes = Array(text.utf8)
        let end = layout.query?.upperBound ?? layout.path.upperBound
        var added = Array(parameters.encoded().utf8)
        if layout.query == nil {
            added.insert(UInt8(ascii: "?"), at: 0)
        } else if let query = layout.query, !query.isEmpty, bytes[query.upperBound - 1] != UInt8(ascii: "&") {
            added.insert(UInt8(ascii: "&"), at: 0)
        }
        let queryStart = layout.query?.lowerBound ?? end + 1
        var longer = layout
        longer.query = queryStart..<(end + added.count)
        longer.fragment = layout.fragment.map { $0.lowerBound + added.count..<$0.upperBound + added.count }
        return URI(text: String(decoding: bytes[..<end] + added + bytes[end...], as: UTF8.self), layout: longer)
    }

    private init(text: String, layout: URILayout) {
        self.text = text
        self.layout = layout
    }

    private func substring(_ range: Range<Int>) -> String {
        let utf8 = text.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return String(Substring(utf8[start..<utf8.index(start, offsetBy: range.count)]))
    }
}
