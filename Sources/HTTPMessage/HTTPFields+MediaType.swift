// SPDX-License-Identifier: Apache-2.0

extension HTTPFields {
    /// Whether there is exactly one `Content-Type` and it names a media type; parameters are ignored.
    package func hasMediaType(_ mediaType: String) -> Bool {
        let values = values(for: "Content-Type")
        return values.count == 1 && Self.isMediaType(values[0], mediaType)
    }

    /// Whether the value of a `Content-Type` field names a media type (RFC 9110 section 8.3.1).
    ///
    /// Type and subtype are compared without ASCII case. Spaces and tabs are allowed around them, but not within.
    package static func isMediaType(_ value: String, _ mediaType: String) -> Bool {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var name = value.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isSpace)
        while let last = name.last, isSpace(last) { name.removeLast() }
        return ASCII.isSameIgnoringCase(name, mediaType.utf8)
    }
}
