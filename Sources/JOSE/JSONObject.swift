// SPDX-License-Identifier: Apache-2.0

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
            case .read(let document, let index): document.member(name, ofObjectAt: index)
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
