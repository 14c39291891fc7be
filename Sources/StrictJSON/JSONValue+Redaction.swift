// SPDX-License-Identifier: Apache-2.0

// A document may hold tokens, keys and what is known of a person: it prints what it consists of, and no value.

extension JSONValue: CustomStringConvertible, CustomReflectable {
    /// The type of the value, or the names of the members of an object.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool: "(bool)"
        case .number(let number): number.description
        case .string: "(string)"
        case .array(let elements): "(array of \(elements.count))"
        case .object(let object): object.description
        }
    }

    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["type": description]) }
}

extension JSONNumber: CustomStringConvertible, CustomReflectable {
    /// A placeholder; ``literal`` has the number.
    public var description: String { "(number)" }

    /// The same.
    public var customMirror: Mirror { Mirror(self, children: [Mirror.Child]()) }
}

extension JSONObject: CustomStringConvertible, CustomReflectable {
    /// The names of the members.
    public var description: String { "{\(members.map(\.name).joined(separator: ", "))}" }

    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["members": members.map(\.name)]) }
}

extension JSONObject.Member: CustomStringConvertible, CustomReflectable {
    /// The name, and the type of the value.
    public var description: String { "\(name): \(value)" }

    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "value": value]) }
}
