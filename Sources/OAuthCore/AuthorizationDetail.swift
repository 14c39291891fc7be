// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// One authorization that a client requests or has, described in more detail than by a scope (RFC 9396 section 2).
///
/// The type defines what the members mean. Members that several types share have properties here.
public struct AuthorizationDetail: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// `type`: the kind of authorization, case-sensitive.
    public var type: String
    /// `locations`: where it applies, usually the URIs of APIs.
    public var locations: [String]?
    /// `actions`: what may be done there.
    public var actions: [String]?
    /// `datatypes`: the kinds of data.
    public var dataTypes: [String]?
    /// `identifier`: a specific resource at the API.
    public var identifier: String?
    /// `privileges`: the level of access.
    public var privileges: [String]?
    /// Every other member, kept as it is.
    public var otherMembers = JSONObject()

    /// Makes a detail with nothing but its type.
    ///
    /// - Parameter type: The type, case-sensitive.
    public init(type: String) {
        self.type = type
    }

    /// Reads a detail.
    ///
    /// - Parameter object: The detail as JSON.
    /// - Throws: ``OAuthCoreError/Code/malformedAuthorizationDetails`` without a `type`, or if another member of RFC
    ///   9396 section 2.2 has the wrong form.
    public init(parsing object: JSONObject) throws(OAuthCoreError) {
        guard let type = object["type"]?.stringValue, !type.isEmpty else { throw Self.malformed("type") }
        self.init(type: type)
        locations = try Self.strings("locations", in: object)
        actions = try Self.strings("actions", in: object)
        dataTypes = try Self.strings("datatypes", in: object)
        privileges = try Self.strings("privileges", in: object)
        if let value = object["identifier"], value != .null {
            guard let text = value.stringValue else { throw Self.malformed("identifier") }
            identifier = text
        }
        otherMembers = object
        for name in Self.knownNames { otherMembers[name] = nil }
    }

    /// The detail as JSON.
    public var json: JSONObject {
        var object: JSONObject = ["type": .string(type)]
        object["locations"] = locations.map { .strings($0) }
        object["actions"] = actions.map { .strings($0) }
        object["datatypes"] = dataTypes.map { .strings($0) }
        object["identifier"] = identifier.map { .string($0) }
        object["privileges"] = privileges.map { .strings($0) }
        for member in otherMembers.members where object[member.name] == nil { object[member.name] = member.value }
        return object
    }

    /// Reads `authorization_details`.
    ///
    /// - Parameter value: An array of details.
    /// - Returns: The details, in order.
    /// - Throws: ``OAuthCoreError/Code/malformedAuthorizationDetails``, also for more than ``maximumSize``.
    public static func list(parsing value: JSONValue) throws(OAuthCoreError) -> [AuthorizationDetail] {
        guard let elements = value.arrayValue else {
            throw OAuthCoreError(.malformedAuthorizationDetails, "'authorization_details' is not an array")
        }
        try requireSize(value)
        var details: [AuthorizationDetail] = []
        for element in elements {
            guard let object = element.objectValue else {
                throw OAuthCoreError(
                    .malformedAuthorizationDetails,
                    "one of the authorization details is not an object"
                )
            }
            details.append(try AuthorizationDetail(parsing: object))
        }
        return details
    }

    /// Writes `authorization_details`.
    ///
    /// - Parameter details: The details.
    /// - Returns: An array of them.
    /// - Throws: ``OAuthCoreError/Code/malformedAuthorizationDetails`` if a type is empty, if another member has the
    ///   name of a property, or for more than ``maximumSize``.
    public static func json(_ details: [AuthorizationDetail]) throws(OAuthCoreError) -> JSONValue {
        for detail in details {
            guard !detail.type.isEmpty else { throw malformed("type") }
            // Otherwise a reader would take it for the member of the same name.
            if let name = knownNames.first(where: { detail.otherMembers[$0] != nil }) { throw malformed(name) }
        }
        let value = JSONValue.array(details.map { .object($0.json) })
        try requireSize(value)
        return value
    }

    /// The maximum size of all details together as JSON: 16 KiB.
    public static let maximumSize = 16_384

    private static func requireSize(_ value: JSONValue) throws(OAuthCoreError) {
        guard value.encoded().count <= maximumSize else {
            throw OAuthCoreError(
                .malformedAuthorizationDetails,
                "the authorization details are longer than \(maximumSize) bytes"
            )
        }
    }

    private static let knownNames = ["type", "locations", "actions", "datatypes", "identifier", "privileges"]

    private static func strings(_ name: String, in object: JSONObject) throws(OAuthCoreError) -> [String]? {
        guard let value = object[name], value != .null else { return nil }
        let strings = value.arrayValue?.compactMap(\.stringValue)
        guard let strings, strings.count == value.arrayValue?.count else { throw malformed(name) }
        return strings
    }

    private static func malformed(_ name: String) -> OAuthCoreError {
        OAuthCoreError(.malformedAuthorizationDetails, "'\(name)' of an authorization detail is missing or malformed")
    }

    /// The type: the other members may name accounts and amounts.
    public var description: String { "AuthorizationDetail(\(type))" }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["type": type]) }
}
