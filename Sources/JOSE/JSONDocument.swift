// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// A JSON text that was read once, strictly, and of which strings are made only when somebody asks for them.
///
/// A verifier looks at ten of the values of a proof: building all of them costs more than reading the text.
final class JSONDocument: Sendable {
    private let bytes: [UInt8]
    /// Where the text begins in the bytes.
    private let start: Int
    private let tokens: [JSONToken]

    /// Reads a text, or the one that stands in a range of the bytes.
    init(parsing bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits) throws(JOSEError) {
        self.bytes = bytes
        let range = range ?? 0..<bytes.count
        start = range.lowerBound
        tokens = try JSONScanner.tokens(of: bytes[range], limits: limits)
    }

    /// The value that a token stands for; an object keeps the document and is not unfolded.
    func value(at index: Int = 0) -> JSONValue {
        let token = tokens[index]
        return switch token.kind {
        case .null: .null
        case .true: .bool(true)
        case .false: .bool(false)
        case .number: .number(JSONNumber(literal: text(token)))
        case .string, .escapedString: .string(text(token))
        case .array: .array(children(of: token, at: index).map { value(at: $0) })
        case .object: .object(JSONObject(document: self, index: index))
        }
    }

    /// Where the value of a member of the object at an index stands.
    func indexOfMember(_ name: Span<UInt8>, ofObjectAt index: Int) -> Int? {
        // Every index of a token comes from the scanner: it lies in the array.
        unsafe tokens.withUnsafeBufferPointer { tokens in
            var position = index + 1
            let end = unsafe Int(tokens[index].next)
            while position < end {
                if unsafe isName(tokens[position], name) { return position + 1 }
                position = unsafe Int(tokens[position + 1].next)
            }
            return nil
        }
    }

    /// The first name of a member of the object at an index that is looked for.
    func firstName(ofObjectAt index: Int, where predicate: (Span<UInt8>) -> Bool) -> String? {
        var position = index + 1
        let end = Int(tokens[index].next)
        while position < end {
            if withString(at: position, predicate) == true { return string(at: position) }
            position = Int(tokens[position + 1].next)
        }
        return nil
    }

    /// The string at an index; `nil` when another value stands there.
    func string(at index: Int) -> String? {
        let token = tokens[index]
        return token.kind == .string || token.kind == .escapedString ? text(token) : nil
    }

    /// The object at an index; `nil` when another value stands there.
    func object(at index: Int) -> JSONObject? {
        tokens[index].kind == .object ? JSONObject(document: self, index: index) : nil
    }

    /// The integer at an index; `nil` when another value stands there, or it does not fit.
    func integer(at index: Int) -> Int64? {
        let token = tokens[index]
        guard token.kind == .number else { return nil }
        let digits = bytes[range(of: token)]
        // No date has more.
        guard digits.count <= 18, digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return value(at: index).integerValue
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Calls a function with the octets of the string at an index; `nil` when another value stands there.
    func withString<Value>(at index: Int, _ body: (Span<UInt8>) -> Value?) -> Value? {
        let token = tokens[index]
        guard token.kind == .string else { return string(at: index)?.withUTF8Span(body) }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe body(Span(_unsafeElements: bytes[range(of: token)]))
        }
    }

    /// All members of the object at an index, in the order of the text.
    func members(ofObjectAt index: Int) -> [JSONObject.Member] {
        let children = children(of: tokens[index], at: index)
        return stride(from: 0, to: children.count, by: 2).map { number in
            JSONObject.Member(name: text(tokens[children[number]]), value: value(at: children[number + 1]))
        }
    }

    private func children(of token: JSONToken, at index: Int) -> [Int] {
        var children: [Int] = []
        var position = index + 1
        while position < Int(token.next) {
            children.append(position)
            position = Int(tokens[position].next)
        }
        return children
    }

    private func range(of token: JSONToken) -> Range<Int> {
        start + Int(token.start)..<start + Int(token.end)
    }

    private func isName(_ token: JSONToken, _ name: Span<UInt8>) -> Bool {
        guard token.kind == .string else { return text(token).withUTF8Span { $0.isIdentical(to: name) } }
        guard Int(token.end - token.start) == name.count else { return false }
        // The scanner made the tokens from these bytes: they lie inside.
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            let first = start + Int(token.start)
            for offset in name.indices where unsafe bytes[first + offset] != name[offset] { return false }
            return true
        }
    }

    private func text(_ token: JSONToken) -> String {
        let slice = bytes[range(of: token)]
        // The scanner saw that the bytes are UTF-8 and every escape is right: nothing is repaired here.
        guard token.kind == .escapedString else { return String(decoding: slice, as: UTF8.self) }
        return String(decoding: JSONEscape.unescaped(slice) ?? [], as: UTF8.self)
    }
}
