// SPDX-License-Identifier: Apache-2.0

/// A JSON text that was read once, strictly, and of which strings are made only when somebody asks for them.
///
/// A verifier looks at ten of the values of a proof: building all of them costs more than reading the text.
final class JSONDocument: Sendable {
    private let bytes: [UInt8]
    private let tokens: [JSONToken]

    init(parsing bytes: [UInt8], limits: JSONLimits) throws(JOSEError) {
        var scanner = JSONScanner(bytes, limits: limits)
        try scanner.scanDocument()
        self.bytes = bytes
        tokens = scanner.tokens
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

    /// The value of a member of the object at an index.
    func member(_ name: String, ofObjectAt index: Int) -> JSONValue? {
        var position = index + 1
        let end = Int(tokens[index].next)
        while position < end {
            if isName(tokens[position], name) { return value(at: position + 1) }
            position = Int(tokens[position + 1].next)
        }
        return nil
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

    private func isName(_ token: JSONToken, _ name: String) -> Bool {
        guard token.kind == .string else { return text(token).isIdentical(to: name) }
        let utf8 = name.utf8
        guard token.end - token.start == utf8.count else { return false }
        var position = Int(token.start)
        for byte in utf8 {
            guard bytes[position] == byte else { return false }
            position += 1
        }
        return true
    }

    private func text(_ token: JSONToken) -> String {
        let slice = bytes[Int(token.start)..<Int(token.end)]
        // The scanner saw that the bytes are UTF-8 and every escape is right: nothing is repaired here.
        guard token.kind == .escapedString else { return String(decoding: slice, as: UTF8.self) }
        return String(decoding: JSONEscape.unescaped(slice) ?? [], as: UTF8.self)
    }
}
