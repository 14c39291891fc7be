// SPDX-License-Identifier: Apache-2.0

/// The components of a URI, normalized by RFC 3986 sections 6.2.2 and 6.2.3.
struct URINormalizer {
    let bytes: [UInt8]
    let layout: URILayout

    var scheme: [UInt8] {
        bytes[layout.scheme].map(ASCII.lowercased)
    }

    var isHTTP: Bool {
        defaultPort != nil
    }

    /// The host in lower case, with any brackets.
    var host: [UInt8]? {
        guard let range = layout.host else { return nil }
        let host = bytes[range]
        if host.first == UInt8(ascii: "["), let address = IPv6Address(parsing: host.dropFirst().dropLast()) {
            return Array("[\(address)]".utf8)
        }
        return Self.normalizingEncodings(host, lowercasing: true)
    }

    /// A colon and the port; empty if it is the default of the scheme.
    var port: [UInt8] {
        guard let port = layout.port, port != defaultPort else { return [] }
        return Array(":\(port)".utf8)
    }

    var path: [UInt8] {
        let path = Self.removingDotSegments(Self.normalizingEncodings(bytes[layout.path]))
        return path.isEmpty && layout.host != nil ? [UInt8(ascii: "/")] : path
    }

    func normalized() throws(HTTPMessageError) -> [UInt8] {
        var result = scheme
        result.reserveCapacity(bytes.count + 8)
        result.append(UInt8(ascii: ":"))
        if let host {
            result += "//".utf8
            if let userinfo = layout.userinfo {
                result += Self.normalizingEncodings(bytes[userinfo])
                result.append(UInt8(ascii: "@"))
            }
            result += host
            result += port
        }
        let path = path
        // Section 3.3: without an authority, a path cannot begin with two slashes.
        guard layout.host != nil || !path.starts(with: "//".utf8) else {
            throw .malformedURI("without its dot segments, the path would read as a host")
        }
        result += path
        for (mark, range) in [(UInt8(ascii: "?"), layout.query), (UInt8(ascii: "#"), layout.fragment)] {
            guard let range else { continue }
            result.append(mark)
            result += Self.normalizingEncodings(bytes[range])
        }
        return result
    }

    private var defaultPort: UInt16? {
        let scheme = scheme
        if scheme.elementsEqual("https".utf8) { return 443 }
        return scheme.elementsEqual("http".utf8) ? 80 : nil
    }

    /// Decodes the unreserved characters and writes all other percent-encodings in upper case (sections 6.2.2.1 and
    /// 6.2.2.2).
    private static func normalizingEncodings(_ text: ArraySlice<UInt8>, lowercasing: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            var byte = text[position]
            position += 1
            if byte == UInt8(ascii: "%"), let value = encodedByte(in: text, at: position) {
                position += 2
                guard ASCII.isUnreserved(value) else {
                    ASCII.appendPercentEncoded(value, to: &result)
                    continue
                }
                byte = value
            }
            result.append(lowercasing ? ASCII.lowercased(byte) : byte)
        }
        return result
    }

    private static func encodedByte(in text: ArraySlice<UInt8>, at position: Int) -> UInt8? {
        guard position + 1 < text.endIndex, let high = ASCII.hexValue(text[position]),
            let low = ASCII.hexValue(text[position + 1])
        else { return nil }
        return high << 4 | low
    }

    /// The algorithm of section 5.2.4, its steps A to E.
    static func removingDotSegments(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var rest = path[...]
        var result: [UInt8] = []
        result.reserveCapacity(path.count)
        while !rest.isEmpty {
            if rest.starts(with: "../".utf8) {
                rest = rest.dropFirst(3)
            } else if rest.starts(with: "./".utf8) || rest.starts(with: "/./".utf8) {
                rest = rest.dropFirst(2)
            } else if rest.starts(with: "/../".utf8) {
                rest = rest.dropFirst(3)
                removeLastSegment(of: &result)
            } else if rest.elementsEqual("/.".utf8) {
                rest = [slash]
            } else if rest.elementsEqual("/..".utf8) {
                rest = [slash]
                removeLastSegment(of: &result)
            } else if rest.elementsEqual(".".utf8) || rest.elementsEqual("..".utf8) {
                rest = []
            } else {
                let end = rest.dropFirst().firstIndex(of: slash) ?? rest.endIndex
                result += rest[..<end]
                rest = rest[end...]
            }
        }
        return result
    }

    private static func removeLastSegment(of path: inout [UInt8]) {
        path.removeSubrange((path.lastIndex(of: UInt8(ascii: "/")) ?? 0)...)
    }
}
