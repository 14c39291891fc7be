// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// The claims of a validated JWT (RFC 7519 section 4).
public struct JWTClaims: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// All claims, including those without a property here.
    public let object: JSONObject
    /// `iss`, the issuer.
    public let issuer: String?
    /// `sub`, the subject.
    public let subject: String?
    /// `aud`, the audiences; empty if absent.
    public let audience: [String]
    /// `exp`, the time from which the token is invalid.
    public let expiresAt: Timestamp?
    /// `nbf`, the time before which the token is invalid.
    public let notBefore: Timestamp?
    /// `iat`, the time of issue.
    public let issuedAt: Timestamp?
    /// `jti`, the identifier of the token.
    public let tokenID: String?

    /// Reads the registered claims without validating their values.
    ///
    /// - Parameter object: The payload of a JWT.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/invalidClaim`` if a registered claim has the wrong type.
    public init(_ object: JSONObject) throws(JOSEError) {
        self.object = object
        issuer = try object.optionalString("iss")
        subject = try object.optionalString("sub")
        audience = try Self.parseAudience(object["aud"])
        expiresAt = try object.optionalDate("exp")
        notBefore = try object.optionalDate("nbf")
        issuedAt = try object.optionalDate("iat")
        tokenID = try object.optionalString("jti")
    }

    private static func parseAudience(_ value: JSONValue?) throws(JOSEError) -> [String] {
        guard let value else { return [] }
        if let string = value.stringValue { return [string] }
        let strings = value.arrayValue.map { $0.compactMap(\.stringValue) }
        guard let strings, strings.count == value.arrayValue?.count else {
            throw JOSEError(.invalidClaim, "'aud' is neither a string nor an array of strings")
        }
        return strings
    }

    /// The value of a string claim.
    ///
    /// - Parameter name: The name of the claim.
    /// - Returns: The string; `nil` if the claim is absent or of another type.
    public func string(_ name: String) -> String? {
        object[name]?.stringValue
    }

    /// The names of the claims: their values tell of a person.
    public var description: String { object.description }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["object": object]) }
}
