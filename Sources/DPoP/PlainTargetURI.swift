// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// Recognises URIs that are in normal form at first sight, as nearly all are: they need not be taken apart.
enum PlainTargetURI {
    /// What stands before query and fragment; `nil` when only a parser can tell.
    ///
    /// It is `https://`, a host of lower-case letters, digits, dots and hyphens without a port, and a path without percent
    /// signs, empty first segment and dot segments. Everything behind the host is of the characters that need no encoding
    /// (RFC 3986 sections 3.3 to 3.5).
    static func prefix(of text: String) -> Substring? {
        let utf8 = text.utf8
        let scheme = "https://".utf8
        guard utf8.count <= URI.maximumLength, utf8.starts(with: scheme) else { return nil }
        let host = utf8.dropFirst(scheme.count)
        guard let pathStart = host.firstIndex(where: { !isHostCharacter($0) }), pathStart > host.startIndex,
            let end = endOfPath(utf8[pathStart...]), isPlainRest(utf8[end...])
        else { return nil }
        return text[..<end]
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || ASCII.isDigit(byte) || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-")
    }

    private static func endOfPath(_ path: Substring.UTF8View) -> String.Index? {
        let slash = UInt8(ascii: "/")
        guard path.first == slash else { return nil }
        var index = path.index(after: path.startIndex)
        var previous = slash
        if index < path.endIndex, path[index] == slash { return nil }
        while index < path.endIndex {
            let byte = path[index]
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { return index }
            // A dot at the start of a segment may be one that is to be removed.
            guard isPathCharacter(byte), previous != slash || byte != UInt8(ascii: ".") else { return nil }
            previous = byte
            index = path.index(after: index)
        }
        return index
    }

    /// The query and nothing after it: a second mark is a fragment or an error.
    private static func isPlainRest(_ rest: Substring.UTF8View) -> Bool {
        guard let mark = rest.first else { return true }
        return mark == UInt8(ascii: "?") && rest.dropFirst().allSatisfy { isPathCharacter($0) }
    }

    private static func isPathCharacter(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@")
            || ASCII.isSubDelimiter(byte)
    }
}
