// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// Writes JSON without white space; escapes only what RFC 8259 section 7 demands.
package enum JSONWriter {
    static func write(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
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

    /// Writes a string with its quotes.
    package static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        // Nearly all strings can stay as they are.
        if string.withUTF8Span({ JSONPlainText.isAll(of: $0) }) {
            output.append(contentsOf: string.utf8)
        } else {
            writeEscaped(string, to: &output)
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func writeEscaped(_ string: String, to output: inout [UInt8]) {
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0..<0x20:
                output.append(contentsOf: "\\u00".utf8)
                output.append(hexDigits[Int(byte >> 4)])
                output.append(hexDigits[Int(byte & 15)])
            default:
                output.append(byte)
            }
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
