// SPDX-License-Identifier: Apache-2.0

/// An absolute URI (RFC 3986), taken apart and not decoded.
///
/// Every component is what was written: percent-encodings stay, letters keep their case. Two values are equal when their
/// texts are equal, byte by byte, as redirect URIs are compared (RFC 6749 section 3.1.2.3). For a comparison of what URIs
/// mean, such as that of `htu` (RFC 9449 section 4.3, check 9), compare their ``normalized()`` forms.
///
/// This is not the URL of web browsers (WHATWG): a backslash, a space or a stray `%` is refused here, not repaired.
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

    /// What stands before `@` in the authority; `nil` without `@`.
    public var userinfo: String? { layout.userinfo.map(substring) }

    /// The host, an IPv6 address with its brackets; `nil` without an authority (`urn:a:b`), empty in `file:///a`.
    public var host: String? { layout.host.map(substring) }

    /// The port; `nil` when there is none or it is empty (`http://a:/`).
    public var port: UInt16? { layout.port }

    /// The path, maybe empty.
    public var path: String { substring(layout.path) }

    /// The query without `?`; `nil` without one, empty for a bare `?`.
    public var query: String? { layout.query.map(substring) }

    /// The fragment without `#`; `nil` without one, empty for a bare `#`.
    public var fragment: String? { layout.fragment.map(substring) }

    /// The text as it was parsed.
    public var description: String { text }

    /// The normalised scheme, host and port of an `http` or `https` URI: `https://auth.example.com` (RFC 6454 section 6.2).
    ///
    /// The default port is left out. `nil` for other schemes.
    public var origin: String? {
        let normalizer = URINormalizer(bytes: Array(text.utf8), layout: layout)
        guard let host = normalizer.host, normalizer.isHTTP else { return nil }
        return String(decoding: normalizer.scheme + Array("://".utf8) + host + normalizer.port, as: UTF8.self)
    }

    /// Whether the host is an IP literal of this machine: `127.0.0.0/8` or `[::1]` (RFC 8252 section 8.3).
    ///
    /// The name `localhost` is not: it may resolve to something else.
    public var isLoopbackIPLiteral: Bool {
        guard let host = layout.host else { return false }
        let bytes = Array(text.utf8)[host]
        if let address = IPv6Address(parsing: bytes.dropFirst().dropLast()), bytes.first == UInt8(ascii: "[") {
            return address.isLoopback
        }
        return IPv4Address(parsing: bytes)?.octets.first == 127
    }

    /// Two URIs are equal when their texts are, byte by byte.
    public static func == (left: URI, right: URI) -> Bool {
        left.text == right.text
    }

    /// Hashes the text.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    /// The form in which URIs that mean the same are the same text (RFC 3986 sections 6.2.2 and 6.2.3).
    ///
    /// Scheme and host in lower case, an IPv6 address as RFC 5952 writes it, no default port (80 for `http`, 443 for
    /// `https`) and no empty one, `/` for an empty path after an authority, percent-encodings in upper case and those of
    /// unreserved characters decoded, no dot segments. `%2F` stays encoded, so the number of segments does not change by
    /// decoding. A trailing slash, query and fragment are kept. Normalising twice changes nothing more.
    ///
    /// - Returns: The normalised URI; a canonical IPv6 host or the added `/` may make it longer than the original.
    /// - Throws: ``HTTPMessageError/Code/malformedURI`` when, without an authority, the path would begin with `//` once
    ///   its dot segments are gone (`a:/.//b`): written down, it would read as a host.
    public func normalized() throws(HTTPMessageError) -> URI {
        try URI(parsing: URINormalizer(bytes: Array(text.utf8), layout: layout).normalized())
    }

    /// The URI with parameters added to its query.
    ///
    /// What is there stays as it is, byte by byte (RFC 6749 section 3.1.2); the parameters come after it and before the
    /// fragment.
    ///
    /// - Parameter parameters: What to add; when empty, the URI stays as it is.
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
