// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The characters of header fields (RFC 9110 section 5).
enum FieldSyntax {
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ASCII.isTokenCharacter)
    }

    /// No control characters except the tab, and no replacement character, which would stand for bytes that are not
    /// UTF-8.
    static func isValue(_ text: String) -> Bool {
        let (hasControl, isASCII) = text.utf8.withBytes { bytes in
            // No early exit, so that the compiler can vectorize the loop.
            var (controls, bits): (UInt8, UInt8) = (0, 0)
            for index in bytes.indices {
                let byte = bytes[index]
                controls |= ASCII.isControl(byte) && byte != UInt8(ascii: "\t") ? 1 : 0
                bits |= byte
            }
            return (controls != 0, bits < 0x80)
        }
        return !hasControl && (isASCII || !text.unicodeScalars.contains("\u{FFFD}"))
    }

    /// Whether a value has characters with which another program may end the line (RFC 9110 section 5.5).
    static func mayEndLine(_ text: String) -> Bool {
        text.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
    }

    /// Visible ASCII without the fragment sign.
    static func isTarget(_ text: String) -> Bool {
        text.utf8.withBytes { bytes in
            bytes.indices.allSatisfy { bytes[$0] > 0x20 && bytes[$0] < 0x7F && bytes[$0] != UInt8(ascii: "#") }
        }
    }

    /// The characters of `uri-host [ ":" port ]`.
    static func isHostCharacter(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || ASCII.isSubDelimiter(byte) && byte != UInt8(ascii: ",")
            || ":[]%".utf8.contains(byte)
    }
}
