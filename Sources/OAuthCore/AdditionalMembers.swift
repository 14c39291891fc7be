// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// Members that a server added to a token response, such as `instance_url`: strings, numbers and booleans.
///
/// Nobody has checked them: `id_token` says who signed in, not these. They may be secrets, so that they do not print.
public struct AdditionalMembers: Sendable, Hashable, RedactedSecret {
    /// The maximum size of all members as JSON, in bytes; more of them are left out.
    public static let maximumSize = 4096

    /// The members as JSON.
    public let json: JSONObject

    /// No members.
    public init() {
        json = [:]
    }

    /// Takes the strings, numbers and booleans of an object, in its order, as far as there is room.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - known: The names that are left out.
    public init(of object: JSONObject, besides known: Set<String> = []) {
        var kept = JSONObject()
        for member in object.members where !known.contains(member.name) && Self.isPlain(member.value) {
            var more = kept
            more[member.name] = member.value
            if JSONValue.object(more).encoded().count <= Self.maximumSize { kept = more }
        }
        json = kept
    }

    /// A member.
    ///
    /// - Parameter name: Its name.
    /// - Returns: Its value; `nil` if the server sent none.
    public subscript(name: String) -> JSONValue? { json[name] }

    /// The members of a later response, and those of this one that it does not have.
    ///
    /// - Parameter newer: The members of the later response.
    /// - Returns: Both; those of the later response come first if there is no room for all.
    public func updated(by newer: AdditionalMembers) -> AdditionalMembers {
        var all = newer.json
        for member in json.members where all[member.name] == nil { all[member.name] = member.value }
        return AdditionalMembers(of: all)
    }

    /// Compares in constant time, since a member may be a secret.
    ///
    /// - Parameters:
    ///   - left: Some members.
    ///   - right: The other ones.
    /// - Returns: Whether both are identical, in the same order.
    public static func == (left: AdditionalMembers, right: AdditionalMembers) -> Bool {
        text(left).isIdenticalInConstantTime(to: text(right))
    }

    private static func text(_ members: AdditionalMembers) -> String {
        String(decoding: JSONValue.object(members.json).encoded(), as: UTF8.self)
    }

    private static func isPlain(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .number, .bool: true
        default: false
        }
    }
}
