// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import StrictJSON

/// The response of the introspection endpoint about a token.
///
/// ## Specification
///
/// [RFC 7662 §2.2](https://www.rfc-editor.org/rfc/rfc7662#section-2.2)
public struct TokenIntrospection: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// `active`: whether the token is valid now; if not, the server says nothing else.
    public let isActive: Bool
    /// `scope`: what the token is for; `nil` when the server does not say.
    public let scope: Scope?
    /// `token_type`: how the token is used.
    public let tokenType: TokenType?
    /// `client_id`: the client that the token was issued to.
    public let clientID: String?
    /// `username`: a human-readable name of the user.
    public let username: String?
    /// `cnf.jkt`: the key that the token is bound to (RFC 9449 section 6.2); `nil` if the token is not bound to a key.
    public let keyThumbprint: JWKThumbprint?
    /// `iss`, `sub`, `aud`, `exp`, `nbf`, `iat` and `jti`, and every other member.
    public let claims: JWTClaims

    /// Reads a response.
    ///
    /// - Parameter object: The JSON body, or `token_introspection` of a signed response.
    /// - Throws: ``OAuthClientError/Code/malformedResponse`` without `active`, or when a known member has the wrong
    ///   form.
    public init(parsing object: JSONObject) throws(OAuthClientError) {
        guard let isActive = object["active"]?.boolValue else {
            throw OAuthClientError(.malformedResponse, "the introspection does not say whether the token is active")
        }
        self.isActive = isActive
        do {
            claims = try JWTClaims(object)
            scope = try object.optionalString("scope").map { try Scope(parsing: $0) }
            tokenType = try object.optionalString("token_type").map { TokenType(rawValue: $0) }
            clientID = try object.optionalString("client_id")
            username = try object.optionalString("username")
            keyThumbprint = try Self.thumbprint(object["cnf"])
        } catch {
            throw OAuthClientError(.malformedResponse, "the introspection cannot be read", underlying: error)
        }
    }

    private static func thumbprint(_ confirmation: JSONValue?) throws -> JWKThumbprint? {
        guard let confirmation, confirmation != .null else { return nil }
        guard let object = confirmation.objectValue else { throw JOSEError(.invalidClaim, "'cnf' is not an object") }
        return try object.optionalString("jkt").map { try JWKThumbprint($0) }
    }

    /// Whether the token is active, without what is known of its user.
    public var description: String { "TokenIntrospection(isActive: \(isActive))" }
    /// Whether the token is active, its scope and type, and the client.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "isActive": isActive, "scope": scope as Any, "tokenType": tokenType as Any, "clientID": clientID as Any,
            ]
        )
    }
}
