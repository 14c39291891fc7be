// SPDX-License-Identifier: Apache-2.0

/// The character classes that the grammars of RFC 3986, RFC 9110 and RFC 6749 use.
@usableFromInline package enum ASCII {
    static func lowercased(_ byte: UInt8) -> UInt8 {
        isUppercase(byte) ? byte | 0x20 : byte
    }

    static func isUppercase(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }

    @inlinable package static func isAlpha(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }

    @inlinable package static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// The value of a hexadecimal digit, upper or lower case.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - UInt8(ascii: "0") }
        let lower = byte | 0x20
        guard lower >= UInt8(ascii: "a"), lower <= UInt8(ascii: "f") else { return nil }
        return lower - UInt8(ascii: "a") + 10
    }

    /// `unreserved` of RFC 3986 section 2.3.
    @inlinable package static func isUnreserved(_ byte: UInt8) -> Bool {
        if isAlpha(byte) || isDigit(byte) { return true }
        return switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    /// `sub-delims` of RFC 3986 section 2.2.
    @inlinable package static func isSubDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="):
            true
        default:
            false
        }
    }

    /// The characters of `token68` before its `=` signs (RFC 9110 section 11.2).
    static func isToken68Character(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
    }

    /// A control character: C0 or DEL.
    @inlinable package static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }

    /// Whether two texts have the same bytes, ignoring ASCII case.
    package static func isSameIgnoringCase(_ left: String, _ right: String) -> Bool {
        isSameIgnoringCase(left.utf8, right.utf8)
    }

    static func isSameIgnoringCase(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return left.withBytes { left in
            right.withBytes { right in
                left.indices.allSatisfy { left[$0] == right[$0] || lowercased(left[$0]) == lowercased(right[$0]) }
            }
        }
    }

    /// Whether two texts have the same bytes.
    ///
    /// `==` of `String` also matches canonically equivalent text (U+212A and K).
    static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        return left.count == right.count && left.elementsEqual(right)
    }

    static func appendPercentEncoded(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(hexDigits[Int(byte >> 4)])
        bytes.append(hexDigits[Int(byte & 0xF)])
    }

    /// `tchar` of RFC 9110 section 5.6.2.
    @inlinable package static func isTokenCharacter(_ byte: UInt8) -> Bool {
        if isAlpha(byte) || isDigit(byte) { return true }
        return switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    static let hexDigits: [UInt8] = Array("0123456789ABCDEF".utf8)
}
