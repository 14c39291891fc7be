// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// A JSON object with unique names.
///
/// It keeps its members in order.
///
/// Names are compared byte by byte. (Swift compares strings by canonical equivalence, by which `K` equals U+212A.)
public struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// A member of a JSON object: a name and its value.
    public struct Member: Sendable, Hashable {
        /// The name, unescaped.
        public let name: String
        /// The value.
        public let value: JSONValue
    }

    /// The parsed text, which stays folded until the object is changed.
    ///
    /// It is never nil, and is stored next to the members rather than in an enumeration with them, so that looking up a
    /// member counts no references.
    package private(set) var document: JSONDocument
    package private(set) var index = 0
    /// The members, if the object was created or changed in memory.
    private var ownMembers: [Member]?

    /// Whether the members are those of the document.
    package var isFolded: Bool { ownMembers == nil }

    /// The members in order.
    public var members: [Member] {
        ownMembers ?? document.members(ofObjectAt: index)
    }

    /// Creates an empty object.
    public init() {
        document = .empty
    }

    /// Creates an object; if names occur twice, the last member is kept.
    ///
    /// - Parameter elements: Names and values.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements {
            self[name] = value
        }
    }

    /// The object at a token index of a document.
    package init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// The value of a member; `nil` if it is missing.
    ///
    /// Setting `nil` removes the member.
    ///
    /// - Parameter name: The name, compared byte by byte.
    public subscript(name: String) -> JSONValue? {
        get {
            guard isFolded else { return members.first { $0.name.isIdentical(to: name) }?.value }
            let position = name.withUTF8Span { name in
                JSONName.with(name) { document.indexOfMember($0, ofObjectAt: index) }
            }
            guard let position else { return nil }
            return document.value(at: position)
        }
        set {
            var members = members
            ownMembers = nil
            Self.set(newValue, for: name, in: &members)
            ownMembers = members
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

/// Access to members by constant names, without creating values.
extension JSONObject {
    /// Whether there is a member with a name, compared byte by byte.
    package func hasMember(_ name: JSONName) -> Bool {
        guard isFolded else { return self[name.text] != nil }
        return document.indexOfMember(name, ofObjectAt: index) != nil
    }

    /// The first member name that satisfies a predicate.
    package func firstName(where predicate: (Span<UInt8>) -> Bool) -> String? {
        guard isFolded else { return members.first { $0.name.withUTF8Span(predicate) }?.name }
        return document.firstName(ofObjectAt: index, where: predicate)
    }

    /// The string value of a member; `nil` if it is missing or not a string.
    package func string(_ name: JSONName) -> String? {
        guard isFolded else { return self[name.text]?.stringValue }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        return document.string(at: position)
    }

    /// The object value of a member; `nil` if it is missing or not an object.
    package func object(_ name: JSONName) -> JSONObject? {
        guard isFolded else { return self[name.text]?.objectValue }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        return document.object(at: position)
    }

    /// The 32 bytes that a member encodes in base64url; `nil` if it is missing or anything else.
    package func bytes32(_ name: JSONName) -> Bytes32? {
        guard isFolded else { return withString(name, Base64URL.decodeBytes32) }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        return document.bytes32(at: position)
    }

    /// Calls a function with the bytes of a member's string value; `nil` if it is missing or not a string.
    package func withString<Value>(_ name: JSONName, _ body: (Span<UInt8>) -> Value?) -> Value? {
        guard isFolded else { return self[name.text]?.stringValue?.withUTF8Span(body) ?? nil }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        var value: Value?
        document.readString(at: position) { value = body($0) }
        return value
    }
}
