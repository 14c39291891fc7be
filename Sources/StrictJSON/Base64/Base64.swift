// SPDX-License-Identifier: Apache-2.0

/// Base64 with padding (RFC 4648 section 4), for HTTP header fields that require it.
///
/// JOSE uses ``Base64URL``.
package enum Base64 {
    /// Encodes bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text = Base64URL.encodeToBytes(bytes)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "-"): text[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): text[index] = UInt8(ascii: "/")
            default: break
            }
        }
        text += repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a padded text, as strictly as ``Base64URL``.
    ///
    /// - Throws: ``StrictJSONError`` – ``StrictJSONError/Code/malformedBase64``.
    package static func decode(_ text: String) throws(StrictJSONError) -> [UInt8] {
        var bytes = Array(text.utf8)
        // Four characters encode three bytes; at most two padding characters fill the last group.
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard bytes.count % 4 == 0, padding <= 2,
            !bytes.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { throw StrictJSONError(.malformedBase64, "the text is not base64 with padding") }
        bytes.removeLast(padding)
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "+"): bytes[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): bytes[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return try Base64URL.decode(bytes[...])
    }
}
