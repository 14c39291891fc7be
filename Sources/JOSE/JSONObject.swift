// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// A JSON object: members in the order they were written, names unique.
///
/// Names are compared byte by byte. (Swift compares strings by canonical equivalence, by which `K` equals U+212A.)
public struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// A name and its value.
    public struct Member: Sendable, Hashable {
        /// The name, unescaped.
        public let name: String
        /// The value.
        public let value: JSONValue
    }

    /// An object that was read stays folded, and without members of its own, until somebody changes it.
    ///
    /// Properties side by side, not an enumeration of the two: looking a member up then counts no references.
    private(set) var document: JSONDocument?
    private(set) var index = 0
    private var ownMembers: [Member] = []

    /// The members in order.
    public var members: [Member] {
        document?.members(ofObjectAt: index) ?? ownMembers
    }

    /// Makes an empty object.
    public init() {}

    /// Makes an object; of members with the same name the last one stays.
    ///
    /// - Parameter elements: Names and values.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements {
            self[name] = value
        }
    }

    /// The object that a token of a document stands for.
    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// The value of a member; `nil` when there is none.
    ///
    /// Setting `nil` removes the member.
    ///
    /// - Parameter name: The name, compared byte by byte.
    public subscript(name: String) -> JSONValue? {
        get {
            guard let document else { return ownMembers.first { $0.name.isIdentical(to: name) }?.value }
            return name.withUTF8Span { document.indexOfMember($0, ofObjectAt: index) }.map { document.value(at: $0) }
        }
        set {
            if let document {
                ownMembers = document.members(ofObjectAt: index)
                self.document = nil
            }
            Self.set(newValue, for: name, in: &ownMembers)
        }
    }

    private static func set(_ value: JSONValue?, for name: String, in members: inout [Member]) {
        switch (members.firstIndex { $0.name.isIdentical(to: name) }, value) {
        case (let index?, let value?): members[index] = Member(name: name, value: value)
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(name: name, value: value))
        case (nil, nil): break
        }
    }
}

/// Members whose names the program holds, read without a value being made of them.
extension JSONObject {
    /// Whether there is a member of a name, compared byte by byte.
    package func hasMember(_ name: StaticString) -> Bool {
        guard let document else { return self[name.description] != nil }
        return document.indexOfMember(name, ofObjectAt: index) != nil
    }

    /// The first name that is looked for.
    func firstName(where predicate: (Span<UInt8>) -> Bool) -> String? {
        guard let document else { return ownMembers.first { $0.name.withUTF8Span(predicate) }?.name }
        return document.firstName(ofObjectAt: index, where: predicate)
    }

    /// The string that a member is; `nil` when there is none, or it is something else.
    package func string(_ name: StaticString) -> String? {
        guard let document else { return self[name.description]?.stringValue }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        return document.string(at: position)
    }

    /// The object that a member is; `nil` when there is none, or it is something else.
    package func object(_ name: StaticString) -> JSONObject? {
        guard let document else { return self[name.description]?.objectValue }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        return document.object(at: position)
    }

    /// Calls a function with the octets of the string that a member is; `nil` when there is none, or it is something else.
    package func withString<Value>(_ name: StaticString, _ body: (Span<UInt8>) -> Value?) -> Value? {
        guard let document else { return self[name.description]?.stringValue?.withUTF8Span(body) }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        return document.withString(at: position, body)
    }
}

extension JSONDocument {
    /// Where the value of a member of the object at an index stands.
    func indexOfMember(_ name: StaticString, ofObjectAt index: Int) -> Int? {
        name.withUTF8Span { indexOfMember($0, ofObjectAt: index) }
    }
}
