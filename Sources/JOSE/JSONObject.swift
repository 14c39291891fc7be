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

    /// An object that was read stays folded until somebody asks for all its members, or changes one.
    private enum Storage: Sendable {
        case members([Member])
        case read(JSONDocument, index: Int)
    }

    private var storage: Storage

    /// The members in order.
    public var members: [Member] {
        switch storage {
        case .members(let members): members
        case .read(let document, let index): document.members(ofObjectAt: index)
        }
    }

    /// Makes an empty object.
    public init() {
        storage = .members([])
    }

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
        storage = .read(document, index: index)
    }

    /// The value of a member; `nil` when there is none.
    ///
    /// Setting `nil` removes the member.
    ///
    /// - Parameter name: The name, compared byte by byte.
    public subscript(name: String) -> JSONValue? {
        get {
            switch storage {
            case .members(let members): members.first { $0.name.isIdentical(to: name) }?.value
            case .read(let document, let index):
                name.withUTF8Span { document.indexOfMember($0, ofObjectAt: index) }.map { document.value(at: $0) }
            }
        }
        set {
            var members = members
            // Keeps the array unique, so that it is changed in place.
            storage = .members([])
            Self.set(newValue, for: name, in: &members)
            storage = .members(members)
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
        switch storage {
        case .members(let members): members.contains { $0.name.isIdentical(to: name.description) }
        case .read(let document, let index): document.indexOfMember(name, ofObjectAt: index) != nil
        }
    }

    /// The first name that is looked for.
    func firstName(where predicate: (Span<UInt8>) -> Bool) -> String? {
        switch storage {
        case .members(let members): members.first { $0.name.withUTF8Span(predicate) }?.name
        case .read(let document, let index): document.firstName(ofObjectAt: index, where: predicate)
        }
    }

    /// The string that a member is; `nil` when there is none, or it is something else.
    package func string(_ name: StaticString) -> String? {
        switch storage {
        case .members: self[name.description]?.stringValue
        case .read(let document, let index):
            document.indexOfMember(name, ofObjectAt: index).flatMap { document.string(at: $0) }
        }
    }

    /// The integer that a member is; `nil` when there is none, or it is something else.
    package func integer(_ name: StaticString) -> Int64? {
        switch storage {
        case .members: self[name.description]?.integerValue
        case .read(let document, let index):
            document.indexOfMember(name, ofObjectAt: index).flatMap { document.integer(at: $0) }
        }
    }

    /// The object that a member is; `nil` when there is none, or it is something else.
    package func object(_ name: StaticString) -> JSONObject? {
        switch storage {
        case .members: self[name.description]?.objectValue
        case .read(let document, let index):
            document.indexOfMember(name, ofObjectAt: index).flatMap { document.object(at: $0) }
        }
    }

    /// Calls a function with the octets of the string that a member is; `nil` when there is none, or it is something else.
    package func withString<Value>(_ name: StaticString, _ body: (Span<UInt8>) -> Value?) -> Value? {
        switch storage {
        case .members: self[name.description]?.stringValue?.withUTF8Span(body)
        case .read(let document, let index):
            document.indexOfMember(name, ofObjectAt: index).flatMap { document.withString(at: $0, body) }
        }
    }
}

extension JSONDocument {
    fileprivate func indexOfMember(_ name: StaticString, ofObjectAt index: Int) -> Int? {
        name.withUTF8Span { indexOfMember($0, ofObjectAt: index) }
    }
}
