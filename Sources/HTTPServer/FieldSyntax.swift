// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The characters of header fields (RFC 9110 section 5).
enum FieldSyntax {
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ASCII.isTokenCharacter)
    }

    /// No control characters but the tab, and no replacement character, which stands for bytes that are not UTF-8.
    static func isValue(_ text: String) -> Bool {
        var isASCII = true
        for byte in text.utf8 {
            if ASCII.isControl(byte) && byte != UInt8(ascii: "\t") { return false }
            if byte > 0x7F { isASCII = false }
        }
        return isASCII || !text.unicodeScalars.contains("\u{FFFD}")
    }

    /// What `uri-host [ ":" port ]` is made of.
    static func isHostCharacter(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || ASCII.isSubDelimiter(byte) && byte != UInt8(ascii: ",")
            || ":[]%".utf8.contains(byte)
    }
}
