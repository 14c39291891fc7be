// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The characters of header fields (RFC 9110 section 5).
enum FieldSyntax {
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ASCII.isTokenCharacter)
    }

    /// No control characters but the tab, and no replacement character, which stands for bytes that are not UTF-8.
    static func isValue(_ text: String) -> Bool {
        let (hasControl, isASCII) = text.utf8.withBytes { bytes in
            // Without a way out, so that the compiler looks at many bytes at once.
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

    /// Visible ASCII without the fragment sign.
    static func isTarget(_ text: String) -> Bool {
        text.utf8.withBytes { bytes in
            bytes.indices.allSatisfy { bytes[$0] > 0x20 && bytes[$0] < 0x7F && bytes[$0] != UInt8(ascii: "#") }
        }
    }

    /// What `uri-host [ ":" port ]` is made of.
    static func isHostCharacter(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || ASCII.isSubDelimiter(byte) && byte != UInt8(ascii: ",")
            || ":[]%".utf8.contains(byte)
    }
}
