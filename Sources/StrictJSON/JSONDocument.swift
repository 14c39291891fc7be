// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// A strictly parsed JSON text, whose strings are created on demand.
///
/// A verifier uses ten values of a proof: creating all of them would cost more than parsing the text. One allocation
/// holds the count of tokens, the tokens, a copy of the text, and zeros, so that eight bytes can be loaded at the start
/// of any string. Look-ups are not inlined, to keep their many callers small.
///
/// Sendable although its memory is mutable: nothing is written after ``init(_:_:)``.
@safe
package struct JSONDocument: @unchecked Sendable {
    private let buffer: ManagedBuffer<Int, JSONToken>

    /// The document of an empty object.
    static let empty = {
        let object = [JSONToken(kind: .object, start: 0, end: 0, next: 1)]
        let padding = [UInt8](zeros: JSONStringScanner.paddingCount)
        return unsafe object.withUnsafeBufferPointer { tokens in
            unsafe padding.withUnsafeBufferPointer { unsafe JSONDocument(tokens, padded: $0) }
        }
    }()

    /// Parses a text.
    package static func parse(_ text: Span<UInt8>, limits: JSONLimits) throws(StrictJSONError) -> JSONDocument {
        try JSONScanner.document(of: text, limits: limits)
    }

    /// Copies the tokens of the scanner, and the text with the zeros after it.
    init(_ tokens: UnsafeBufferPointer<JSONToken>, padded text: UnsafeBufferPointer<UInt8>) {
        let size = MemoryLayout<JSONToken>.stride
        buffer = .create(minimumCapacity: tokens.count + (text.count + size - 1) / size) { _ in tokens.count }
        unsafe buffer.withUnsafeMutablePointerToElements { elements in
            _ = unsafe UnsafeMutableBufferPointer(start: elements, count: tokens.count).initialize(from: tokens)
            let bytes = unsafe UnsafeMutableRawPointer(elements + tokens.count)
                .bindMemory(to: UInt8.self, capacity: text.count)
            _ = unsafe UnsafeMutableBufferPointer(start: bytes, count: text.count).initialize(from: text)
        }
    }

    /// Calls a function with the tokens and the text.
    ///
    /// Every token index and every range of a token comes from the scanner, and is therefore in bounds.
    @inline(__always)
    private func withContents<Value>(_ body: (UnsafePointer<JSONToken>, UnsafePointer<UInt8>) -> Value) -> Value {
        unsafe buffer.withUnsafeMutablePointers { count, elements in
            let text = unsafe UnsafeRawPointer(elements + count.pointee).assumingMemoryBound(to: UInt8.self)
            return unsafe body(elements, text)
        }
    }

    private func token(at index: Int) -> JSONToken {
        unsafe withContents { tokens, _ in unsafe tokens[index] }
    }

    /// The value at a token index.
    ///
    /// An object keeps the document, and is not unfolded.
    package func value(at index: Int = 0) -> JSONValue {
        let token = token(at: index)
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

    /// The index of a member's value, in the object at an index.
    @inline(never)
    package func indexOfMember(_ name: JSONName, ofObjectAt index: Int) -> Int? {
        unsafe withContents { tokens, text in
            var position = index + 1
            let end = unsafe Int(tokens[index].next)
            while position < end {
                if unsafe isName(tokens[position], in: text, name) { return position + 1 }
                position = unsafe Int(tokens[position + 1].next)
            }
            return nil
        }
    }

    @inline(__always)
    private func isName(_ token: JSONToken, in text: UnsafePointer<UInt8>, _ name: JSONName) -> Bool {
        guard token.kind == .string else { return isEscapedName(token, name) }
        return unsafe token.count == name.count && name.isSame(as: text + Int(token.start))
    }

    @inline(never)
    private func isEscapedName(_ token: JSONToken, _ name: JSONName) -> Bool {
        text(token).withUTF8Span { name.isIdentical(to: $0) }
    }

    /// Calls a function with the name and the value's index of each member, in the object at an index.
    @inline(never)
    package func forEachMember(ofObjectAt index: Int, _ body: (JSONName, Int) -> Void) {
        unsafe withContents { tokens, text in
            var position = index + 1
            let end = unsafe Int(tokens[index].next)
            while position < end {
                let name = unsafe tokens[position]
                if name.kind == .string {
                    body(unsafe JSONName(padded: text + Int(name.start), count: name.count), position + 1)
                } else {
                    self.text(name).withUTF8Span { JSONName.with($0) { body($0, position + 1) } }
                }
                position = unsafe Int(tokens[position + 1].next)
            }
        }
    }

    /// The first member name that satisfies a predicate, in the object at an index.
    @inline(never)
    func firstName(ofObjectAt index: Int, where predicate: (Span<UInt8>) -> Bool) -> String? {
        var position = index + 1
        let end = Int(token(at: index).next)
        while position < end {
            var isWanted = false
            readString(at: position) { isWanted = predicate($0) }
            if isWanted { return string(at: position) }
            position = Int(token(at: position + 1).next)
        }
        return nil
    }

    /// The string at an index; `nil` if the value is not a string.
    @inline(never)
    package func string(at index: Int) -> String? {
        let token = token(at: index)
        return token.isString ? text(token) : nil
    }

    /// Whether the value at an index is a string.
    @inline(never)
    package func isString(at index: Int) -> Bool {
        token(at: index).isString
    }

    /// Whether the value at an index is an object.
    package func isObject(at index: Int) -> Bool {
        token(at: index).kind == .object
    }

    /// The object at an index; `nil` if the value is not an object.
    @inline(never)
    package func object(at index: Int) -> JSONObject? {
        isObject(at: index) ? JSONObject(document: self, index: index) : nil
    }

    /// The integer at an index; `nil` if the value is not an integer, or does not fit.
    @inline(never)
    package func integer(at index: Int) -> Int64? {
        let token = token(at: index)
        guard token.kind == .number else { return nil }
        // A number of 18 digits always fits, and dates have fewer.
        if token.count <= 18, let integer = digits(token) { return integer }
        return value(at: index).integerValue
    }

    /// The value of at most 18 digits; `nil` if there is any other character.
    private func digits(_ token: JSONToken) -> Int64? {
        unsafe withContents { _, text in
            var number: Int64 = 0
            for index in Int(token.start)..<Int(token.end) {
                let digit = unsafe text[index] &- UInt8(ascii: "0")
                guard digit <= 9 else { return nil }
                number = number &* 10 &+ Int64(digit)
            }
            return number
        }
    }

    /// Calls a function with the bytes of the string at an index.
    ///
    /// Does nothing if the value is not a string.
    @inline(never)
    package func readString(at index: Int, _ body: (Span<UInt8>) -> Void) {
        let token = token(at: index)
        guard token.kind == .string else {
            string(at: index)?.withUTF8Span(body)
            return
        }
        unsafe withContents { _, text in
            unsafe body(Span(_unsafeStart: text + Int(token.start), count: token.count))
        }
    }

    /// Whether the value at an index is a string equal to a constant text, byte by byte.
    @inline(never)
    package func isString(at index: Int, _ literal: JSONName) -> Bool {
        unsafe withContents { tokens, text in
            unsafe tokens[index].isString && isName(tokens[index], in: text, literal)
        }
    }

    /// The 32 bytes that the string at an index encodes in base64url; `nil` for anything else.
    @inline(never)
    package func bytes32(at index: Int) -> Bytes32? {
        var octets: Bytes32?
        readString(at: index) { octets = Base64URL.decodeBytes32($0) }
        return octets
    }

    /// Whether the value at an index is a string equal to a text, byte by byte.
    @inline(never)
    package func isString(at index: Int, identicalTo text: Span<UInt8>) -> Bool {
        var isIdentical = false
        readString(at: index) { isIdentical = $0.isIdentical(to: text) }
        return isIdentical
    }

    /// All members of the object at an index, in text order.
    func members(ofObjectAt index: Int) -> [JSONObject.Member] {
        let children = children(of: token(at: index), at: index)
        return stride(from: 0, to: children.count, by: 2).map { number in
            JSONObject.Member(name: text(token(at: children[number])), value: value(at: children[number + 1]))
        }
    }

    private func children(of token: JSONToken, at index: Int) -> [Int] {
        var children: [Int] = []
        var position = index + 1
        while position < Int(token.next) {
            children.append(position)
            position = Int(self.token(at: position).next)
        }
        return children
    }

    private func text(_ token: JSONToken) -> String {
        unsafe withContents { _, text in
            let octets = unsafe UnsafeBufferPointer(start: text + Int(token.start), count: token.count)
            // The scanner has checked that the bytes are UTF-8 and all escapes are valid: nothing is repaired here.
            guard token.kind == .escapedString else { return unsafe String(decoding: octets, as: UTF8.self) }
            return unsafe String(decoding: JSONEscape.unescaped(Array(octets)[...]) ?? [], as: UTF8.self)
        }
    }
}
