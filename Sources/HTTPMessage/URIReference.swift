// SPDX-License-Identifier: Apache-2.0

/// A URI or a relative reference (RFC 3986 section 4.1), such as a `Location` field holds.
package struct URIReference: Sendable {
    private let scheme: [UInt8]?
    private let authority: [UInt8]?
    private let path: [UInt8]
    private let query: [UInt8]?
    private let fragment: [UInt8]?

    /// Takes a reference apart; whether its parts are good is seen when it is resolved.
    ///
    /// - Parameter text: The reference. What may not stand in one but is found there nevertheless, such as spaces and
    ///   letters beyond ASCII, is percent-encoded.
    package init(_ text: String) {
        var rest = text.utf8.reduce(into: [UInt8]()) { encoded, byte in
            if byte >= 0x80 || " \"<>\\^`{|}".utf8.contains(byte) {
                ASCII.appendPercentEncoded(byte, to: &encoded)
            } else {
                encoded.append(byte)
            }
        }[...]
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        let name = rest.prefix { ASCII.isAlpha($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }
        if let first = name.first, ASCII.isAlpha(first), rest.dropFirst(name.count).first == UInt8(ascii: ":") {
            scheme = Array(name)
            rest = rest.dropFirst(name.count + 1)
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            let host = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
            authority = Array(host)
            rest = rest.dropFirst(2 + host.count)
        } else {
            authority = nil
        }
        path = Array(rest)
    }

    /// Takes off what comes after the first mark, and the mark.
    private static func cut(_ rest: inout ArraySlice<UInt8>, at mark: Unicode.Scalar) -> [UInt8]? {
        guard let index = rest.firstIndex(of: UInt8(ascii: mark)) else { return nil }
        defer { rest = rest[..<index] }
        return Array(rest[(index + 1)...])
    }

    /// What the reference means in a document at a URI (RFC 3986 section 5.2).
    ///
    /// - Parameter base: The URI of the document.
    /// - Returns: The URI, without dot segments.
    /// - Throws: ``HTTPMessageError/Code/malformedURI``.
    package func resolved(against base: URI) throws(HTTPMessageError) -> URI {
        var target: (authority: [UInt8]?, path: [UInt8], query: [UInt8]?)
        if scheme != nil || authority != nil {
            target = (authority, URINormalizer.removingDotSegments(path), query)
        } else if path.isEmpty {
            target = (base.authority, Array(base.path.utf8), query ?? base.query.map { Array($0.utf8) })
        } else {
            target = (base.authority, URINormalizer.removingDotSegments(merged(with: base)), query)
        }
        var bytes = (scheme ?? Array(base.scheme.utf8)) + Array(":".utf8)
        if let authority = target.authority { bytes += Array("//".utf8) + authority }
        bytes += target.path
        if let query = target.query { bytes += Array("?".utf8) + query }
        if let fragment { bytes += Array("#".utf8) + fragment }
        return try URI(parsing: String(decoding: bytes, as: UTF8.self))
    }

    /// Section 5.2.3.
    private func merged(with base: URI) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        if path.first == slash { return path }
        let directory = base.path.utf8.lastIndex(of: slash).map { base.path.utf8[...$0] }.map { Array($0) }
        return (directory ?? (base.host == nil ? [] : [slash])) + path
    }
}

extension URI {
    /// User information, host and port as written; `nil` without an authority.
    fileprivate var authority: [UInt8]? {
        guard host != nil else { return nil }
        let rest = description.utf8.dropFirst(scheme.utf8.count + "://".utf8.count)
        return Array(rest.prefix { !"/?#".utf8.contains($0) })
    }
}
