// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// Readable JSON: indented, with control characters of terminals escaped.
enum IndentedJSON {
    static func text(of value: JSONValue) -> String {
        var text = ""
        write(value, indent: "", to: &text)
        return text
    }

    private static func write(_ value: JSONValue, indent: String, to text: inout String) {
        switch value {
        case .object(let object) where !object.members.isEmpty:
            write(object.members, between: "{", "}", indent, &text) { member, indent, text in
                text += string(member.name) + ": "
                write(member.value, indent: indent, to: &text)
            }
        case .array(let elements) where !elements.isEmpty:
            write(elements, between: "[", "]", indent, &text) { element, indent, text in
                write(element, indent: indent, to: &text)
            }
        case .string(let value):
            text += string(value)
        default:
            text += String(decoding: value.encoded(), as: UTF8.self)
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        between opening: String,
        _ closing: String,
        _ indent: String,
        _ text: inout String,
        _ body: (Element, String, inout String) -> Void
    ) {
        let inner = indent + "  "
        text += opening
        for (position, element) in elements.enumerated() {
            text += (position == 0 ? "\n" : ",\n") + inner
            body(element, inner, &text)
        }
        text += "\n" + indent + closing
    }

    private static func string(_ value: String) -> String {
        let encoded = String(decoding: JSONValue.string(value).encoded(), as: UTF8.self)
        guard encoded.unicodeScalars.contains(where: SafeText.isDangerous) else { return encoded }
        return encoded.unicodeScalars.map { scalar in
            SafeText.isDangerous(scalar) ? String(scalar).utf16.map(escape).joined() : String(scalar)
        }.joined()
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
