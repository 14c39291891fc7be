// SPDX-License-Identifier: Apache-2.0

/// The ranges of the components of a URI in its bytes.
struct URILayout: Sendable {
    var scheme: Range<Int>
    var userinfo: Range<Int>?
    var host: Range<Int>?
    var port: UInt16?
    var path: Range<Int>
    var query: Range<Int>?
    var fragment: Range<Int>?
}

/// Splits a URI into components by the grammar of RFC 3986 appendix A.
struct URIParser {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func layout() throws(HTTPMessageError) -> URILayout {
        let scheme = try scheme()
        var position = scheme.upperBound + 1
        var layout = URILayout(scheme: scheme, path: position..<position)
        if bytes[position...].starts(with: "//".utf8) {
            position = try readAuthority(from: position + 2, into: &layout)
        }
        layout.path = position..<end(from: position, at: "?", "#")
        position = layout.path.upperBound
        if position < bytes.count, bytes[position] == UInt8(ascii: "?") {
            let query = position + 1..<end(from: position + 1, at: "#", "#")
            layout.query = query
            position = query.upperBound
        }
        if position < bytes.count { layout.fragment = position + 1..<bytes.count }
        try check(layout)
        return layout
    }

    // Section 3.1.
    private func scheme() throws(HTTPMessageError) -> Range<Int> {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let first = bytes.first, ASCII.isAlpha(first),
            bytes[..<colon].allSatisfy({ ASCII.isAlpha($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else {
            throw .malformedURI("the URI must begin with a scheme and a colon, as in https://")
        }
        return 0..<colon
    }

    // Section 3.2. Returns where the path begins.
    private func readAuthority(from start: Int, into layout: inout URILayout) throws(HTTPMessageError) -> Int {
        let end = min(end(from: start, at: "/", "?"), end(from: start, at: "#", "#"))
        var hostStart = start
        // A host or port contains no "@", so a second one is rejected with the userinfo or the host.
        if let at = bytes[start..<end].firstIndex(of: UInt8(ascii: "@")) {
            layout.userinfo = start..<at
            hostStart = at + 1
        }
        var hostEnd = end
        if let colon = bytes[hostStart..<end].lastIndex(of: UInt8(ascii: ":")), !bytes[colon..<end].contains(0x5D) {
            layout.port = try port(colon + 1..<end)
            hostEnd = colon
        }
        layout.host = hostStart..<hostEnd
        return end
    }

    // Section 3.2.3.
    private func port(_ range: Range<Int>) throws(HTTPMessageError) -> UInt16? {
        guard !range.isEmpty else { return nil }
        var value = 0
        for byte in bytes[range] {
            guard ASCII.isDigit(byte) else { throw .malformedURI("the port must be a number") }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value <= Int(UInt16.max) else { throw .malformedURI("the port must be at most 65535") }
        }
        return UInt16(value)
    }

    private func check(_ layout: URILayout) throws(HTTPMessageError) {
        if let userinfo = layout.userinfo { try check(userinfo, "userinfo", allowing: ":") }
        if let host = layout.host { try checkHost(host) }
        try check(layout.path, "path", allowing: ":@/")
        if let query = layout.query { try check(query, "query", allowing: ":@/?") }
        if let fragment = layout.fragment { try check(fragment, "fragment", allowing: ":@/?") }
        // RFC 9110 section 4.2.1: an http or https URI with an empty host is invalid.
        guard layout.host?.isEmpty ?? true else { return }
        let scheme = bytes[layout.scheme].map(ASCII.lowercased)
        guard !scheme.elementsEqual("http".utf8), !scheme.elementsEqual("https".utf8) else {
            throw .malformedURI("an http or https URI must name a host")
        }
    }

    // Section 3.2.2.
    private func checkHost(_ range: Range<Int>) throws(HTTPMessageError) {
        let host = bytes[range]
        guard host.first == UInt8(ascii: "[") else {
            try check(range, "host", allowing: "")
            return
        }
        let literal = host.dropFirst().dropLast()
        guard host.last == UInt8(ascii: "]"), IPv6Address(parsing: literal) != nil || isFutureAddress(literal) else {
            throw .malformedURI("what stands in brackets must be an IPv6 address without a zone")
        }
    }

    private func isFutureAddress(_ literal: ArraySlice<UInt8>) -> Bool {
        guard let version = literal.first, ASCII.lowercased(version) == UInt8(ascii: "v"),
            let dot = literal.firstIndex(of: UInt8(ascii: "."))
        else { return false }
        let digits = literal[literal.startIndex + 1..<dot]
        let address = literal[(dot + 1)...]
        return !digits.isEmpty && digits.allSatisfy { ASCII.hexValue($0) != nil }
            && !address.isEmpty
            && address.allSatisfy { ASCII.isUnreserved($0) || ASCII.isSubDelimiter($0) || $0 == UInt8(ascii: ":") }
    }

    private func check(_ range: Range<Int>, _ name: String, allowing others: String) throws(HTTPMessageError) {
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = bytes[position]
            if byte == UInt8(ascii: "%") {
                guard position + 2 < range.upperBound, ASCII.hexValue(bytes[position + 1]) != nil,
                    ASCII.hexValue(bytes[position + 2]) != nil
                else {
                    throw .malformedURI("in the \(name), a % must be followed by two hexadecimal digits")
                }
                position += 3
            } else {
                guard ASCII.isUnreserved(byte) || ASCII.isSubDelimiter(byte) || others.utf8.contains(byte) else {
                    throw .malformedURI("the \(name) holds a character that must be percent-encoded")
                }
                position += 1
            }
        }
    }

    private func end(from start: Int, at first: Unicode.Scalar, _ second: Unicode.Scalar) -> Int {
        let (first, second) = (UInt8(ascii: first), UInt8(ascii: second))
        return bytes[start...].firstIndex { $0 == first || $0 == second } ?? bytes.count
    }
}

extension HTTPMessageError {
    static func malformedURI(_ reason: String) -> Self {
        Self(.malformedURI, reason)
    }
}
