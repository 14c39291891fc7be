// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// The claims of a JWT (RFC 7519 section 4) that was validated.
public struct JWTClaims: Sendable, Hashable {
    /// Every claim.
    public let object: JSONObject
    /// `iss`.
    public let issuer: String?
    /// `sub`.
    public let subject: String?
    /// `aud`: one or several, empty when absent.
    public let audience: [String]
    /// `exp`.
    public let expiresAt: Timestamp?
    /// `nbf`.
    public let notBefore: Timestamp?
    /// `iat`.
    public let issuedAt: Timestamp?
    /// `jti`.
    public let tokenID: String?

    /// Reads claims; does not judge them.
    ///
    /// - Parameter object: The payload of a JWT.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/invalidClaim`` when a registered claim is of the wrong type.
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

    /// The value of a claim that is a string.
    ///
    /// - Parameter name: The name of the claim.
    /// - Returns: The string; `nil` when the claim is absent or of another type.
    public func string(_ name: String) -> String? {
        object[name]?.stringValue
    }
}
