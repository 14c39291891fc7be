// SPDX-License-Identifier: Apache-2.0

/// The escapes of JSON strings (RFC 8259 section 7).
enum JSONEscape {
    /// The unescaped text between the quotes of a string; `nil` if an escape is invalid.
    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "\\") {
                result.append(byte)
            } else if !readEscape(&rest, to: &result) {
                return nil
            }
        }
        return result
    }

    private static func readEscape(_ rest: inout ArraySlice<UInt8>, to result: inout [UInt8]) -> Bool {
        guard let byte = rest.popFirst() else { return false }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = readScalar(&rest) else { return false }
            result.append(contentsOf: Character(scalar).utf8)
        default: return false
        }
        return true
    }

    /// Reads one scalar.
    ///
    /// Two units encode a scalar outside the basic plane; a lone surrogate is invalid.
    private static func readScalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let unit = readHexUnit(&rest) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"),
            let low = readHexUnit(&rest), low >= 0xDC00, low < 0xE000
        else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }

    private static func readHexUnit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = rest.popFirst(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                return nil
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
