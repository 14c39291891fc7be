// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 8259: generated documents, compared with Foundation", .computesForLong)
struct JSONGeneratedTests {
    @Test func `what is written is read again as it was`() throws {
        var generator = SeededGenerator(seed: 8259)
        for _ in 0..<500 {
            let value = generator.value(depth: 5)
            #expect(try JSONValue(parsing: value.encoded()) == value)
        }
    }

    @Test func `Foundation reads the same from what is written`() throws {
        var generator = SeededGenerator(seed: 8260)
        for _ in 0..<500 {
            let value = generator.value(depth: 5)
            let read = try JSONSerialization.jsonObject(with: Data(value.encoded()), options: .fragmentsAllowed)
            #expect(value.isSame(as: read))
        }
    }

    @Test func `what Foundation writes is read as it was`() throws {
        var generator = SeededGenerator(seed: 8261)
        for round in 0..<500 {
            let value = generator.value(depth: 5)
            let object = try JSONSerialization.jsonObject(with: Data(value.encoded()), options: .fragmentsAllowed)
            let options: JSONSerialization.WritingOptions = round.isMultiple(of: 2) ? [.prettyPrinted] : []
            let written = try JSONSerialization.data(withJSONObject: object, options: options.union(.fragmentsAllowed))
            #expect(try JSONValue(parsing: Array(written)).isSame(as: object))
        }
    }

    @Test func `what is read from a damaged document, Foundation reads too`() {
        var generator = SeededGenerator(seed: 8262)
        var accepted = 0
        for _ in 0..<4000 {
            var text = generator.value(depth: 3).encoded()
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !text.isEmpty {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: text.remove(at: index)
                default: text.insert(Array(#"{}[]",:\0e-.+ "#.utf8).randomElement(using: &generator) ?? 0, at: index)
                }
            }
            guard let value = try? JSONValue(parsing: text) else { continue }
            accepted += 1
            let read = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
            #expect(read.map { value.isSame(as: $0) } == true, "\(String(decoding: text, as: UTF8.self))")
        }
        #expect(accepted > 100)
    }

    @Test func `any bytes at all do not crash the reader`() {
        var generator = SeededGenerator(seed: 8263)
        for _ in 0..<4000 {
            let bytes = generator.bytes(Int.random(in: 0...40, using: &generator))
            _ = try? JSONValue(parsing: bytes)
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .number(JSONNumber(Int64.random(in: -1 << 53...1 << 53, using: &self)))
        case 3, 4: return .string(string())
        case 5: return .array((0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            var object = JSONObject()
            for number in 0..<Int.random(in: 0...20, using: &self) {
                object["\(number)\(string())"] = value(depth: depth - 2)
            }
            return .object(object)
        }
    }

    private mutating func string() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            let range: ClosedRange<UInt32> =
                switch Int.random(in: 0..<6, using: &self) {
                case 0: 0...0x1F
                case 1: 0x80...0xD7FF
                case 2: 0x1_0000...0x10_FFFF
                default: 0x20...0x7F
                }
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension JSONValue {
    /// Whether Foundation holds the same; strings are compared by their scalars.
    fileprivate func isSame(as other: Any) -> Bool {
        switch self {
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
            return zip(values, other).allSatisfy { $0.isSame(as: $1) }
        case .object(let object):
            guard let other = other as? [String: Any], other.count == object.members.count else { return false }
            return object.members.allSatisfy { member in other[member.name].map { member.value.isSame(as: $0) } ?? false
            }
        }
    }
}
