// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import StrictJSON

/// Foundation's reader of JSON, as a second opinion.
enum FoundationJSON {
    /// Whether Foundation reads the text, and the same from it.
    static func agrees(_ value: JSONValue, with text: [UInt8]) -> Bool {
        // Foundation of Linux loses U+FEFF where a string has an escape before it.
        guard !String(decoding: text, as: UTF8.self).unicodeScalars.contains("\u{FEFF}") else { return true }
        guard let other = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed) else {
            return false
        }
        return isSame(value, other)
    }

    private static func isSame(_ value: JSONValue, _ other: Any) -> Bool {
        switch value {
        case .null: return other is NSNull
        case .bool(let value): return other as? Bool == value
        case .number(let number):
            guard let other = other as? NSNumber else { return false }
            // Foundation of Linux reads fractions through a decimal type, not always to the nearest value.
            let tolerance = number.double.magnitude * 1e-14
            return number.integer.map { $0 == other.int64Value }
                ?? ((number.double - other.doubleValue).magnitude <= tolerance)
        case .string(let value): return (other as? String).map { $0.utf8.elementsEqual(value.utf8) } ?? false
        case .array(let values):
            guard let other = other as? [Any], other.count == values.count else { return false }
            return zip(values, other).allSatisfy { isSame($0, $1) }
        case .object(let object):
            // Foundation compares names by canonical equivalence, so a few names that differ may be one for it.
            guard let other = other as? [String: Any] else { return false }
            guard other.count == object.members.count else { return other.count < object.members.count }
            return object.members.allSatisfy { member in other[member.name].map { isSame(member.value, $0) } ?? false }
        }
    }
}
