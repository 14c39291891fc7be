// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension JSONObject.Member {
    /// Whether name and value are equal, the name byte by byte.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.isIdentical(to: right.name) && left.value == right.value
    }

    /// Hashes the bytes of the name, and the value.
    public func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        hasher.combine(value)
    }
}

extension JSONObject {
    /// Whether the members are equal, in the same order.
    public static func == (left: Self, right: Self) -> Bool {
        left.members == right.members
    }

    /// Hashes the members in order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }
}

extension JSONValue {
    /// Whether two values are equal: strings byte by byte, numbers by their spelling, members in the same order.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isIdentical(to: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the value; for a string, its bytes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): value.hashBytes(into: &hasher)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension String {
    fileprivate func hashBytes(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        for byte in utf8 { hasher.combine(byte) }
    }
}
