// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Writes JSON without white space, and escapes only what RFC 8259 section 7 requires.
package enum JSONWriter {
    static func write(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .null: output.append("null")
        case .bool(let value): output.append(value ? "true" : "false")
        case .number(let number): output.append(contentsOf: number.literal.utf8)
        case .string(let string): write(string, to: &output)
        case .array(let elements): write(elements, to: &output)
        case .object(let object): write(object, to: &output)
        }
    }

    static func write(_ object: JSONObject, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        for (position, member) in object.members.enumerated() {
            if position > 0 { output.append(UInt8(ascii: ",")) }
            write(member.name, to: &output)
            output.append(UInt8(ascii: ":"))
            write(member.value, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func write(_ elements: [JSONValue], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        for (position, element) in elements.enumerated() {
            if position > 0 { output.append(UInt8(ascii: ",")) }
            write(element, to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// Writes a quoted string.
    package static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        string.withUTF8Span { text in
            // Nearly all strings need no escapes.
            if JSONStringScanner.isAll(of: text) { output.append(text) } else { writeEscaped(text, to: &output) }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Writes an integer, without creating a string first.
    package static func write(_ integer: Int64, to output: inout [UInt8]) {
        if integer < 0 { output.append(UInt8(ascii: "-")) }
        // The longest 64-bit integer has 20 characters.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            var rest = integer.magnitude
            repeat {
                start -= 1
                unsafe digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    private static func writeEscaped(_ text: Span<UInt8>, to output: inout [UInt8]) {
        for index in text.indices {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0..<0x20:
                output.append("\\u00")
                output.append(hexDigits[Int(byte >> 4)])
                output.append(hexDigits[Int(byte & 15)])
            default:
                output.append(byte)
            }
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
