// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
import StrictJSON

/// A validated id_token: identifies the user who signed in to this client.
///
/// It is only for the app: APIs get access tokens. An id_token from a store was validated before it was stored, and is
/// not validated again: by then its signing key may be gone and its time over. It does not print.
///
/// ## Specification
///
/// [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
public struct IDToken: Sendable, Hashable, RedactedSecret {
    /// The maximum length, in characters; a longer token is rejected before it is decoded.
    static let maximumLength = 16_384

    /// The JWT as it was received.
    public let rawValue: String
    /// All claims.
    public let claims: JWTClaims
    /// `iss`: the issuer identifier of the server.
    public let issuer: String
    /// `sub`: identifies the user; the server never assigns it to another user.
    public let subject: String
    /// `auth_time`: when the user authenticated; `nil` when the server does not say.
    ///
    /// A refresh does not change it: if the newer id_token does not have it, the value of an earlier one is kept.
    public let authTime: Timestamp?
    /// `nonce`: that of the sign-in; kept across refreshes like ``authTime``.
    public let nonce: String?

    /// Makes a token whose claims have been validated.
    ///
    /// - Parameters:
    ///   - rawValue: The JWT.
    ///   - claims: Its claims.
    ///   - original: The previous token of the same sign-in.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/invalidClaim``.
    init(_ rawValue: String, _ claims: JWTClaims, continuing original: IDToken? = nil) throws(JOSEError) {
        self.rawValue = rawValue
        self.claims = claims
        issuer = try claims.object.requiredString("iss")
        subject = try claims.object.requiredString("sub")
        authTime = try claims.object.optionalDate("auth_time") ?? original?.authTime
        nonce = try claims.object.optionalString("nonce") ?? original?.nonce
    }

    /// `aud`: this client, and any other recipient of the token.
    public var audience: [String] { claims.audience }
    /// `iat`: when the token was issued.
    public var issuedAt: Timestamp? { claims.issuedAt }
    /// `exp`: until when the token could be accepted.
    ///
    /// The session does not end with it.
    public var expiresAt: Timestamp? { claims.expiresAt }
    /// `acr`: the authentication context.
    public var authenticationContext: String? { claims.string("acr") }
    /// `amr`: how the user authenticated, such as `pwd` and `otp` (RFC 8176).
    public var authenticationMethods: [String] {
        claims.object["amr"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
    /// `azp`: the client that the token was issued to.
    public var authorizedParty: String? { claims.string("azp") }

    /// Compares two tokens in constant time.
    ///
    /// - Parameters:
    ///   - left: One token.
    ///   - right: The other one.
    /// - Returns: Whether both are identical, byte by byte, including the values kept from earlier tokens.
    public static func == (left: IDToken, right: IDToken) -> Bool {
        left.rawValue.isIdenticalInConstantTime(to: right.rawValue) && left.authTime == right.authTime
            && (left.nonce ?? "").isIdenticalInConstantTime(to: right.nonce ?? "")
    }
}

extension IDToken {
    /// Members for ``TokenSet/json``.
    var storedMembers: JSONObject {
        var object: JSONObject = ["raw": .string(rawValue)]
        object["auth_time"] = authTime.map { .number(JSONNumber($0.secondsSince1970)) }
        object["nonce"] = nonce.map { .string($0) }
        return object
    }

    /// Reads ``storedMembers``, without validating the token again.
    init(restoring object: JSONObject) throws(JOSEError) {
        let text = try object.requiredString("raw")
        let claims = try Self.unverifiedClaims(of: text)
        rawValue = text
        self.claims = claims
        issuer = try claims.object.requiredString("iss")
        subject = try claims.object.requiredString("sub")
        authTime = try object.optionalDate("auth_time")
        nonce = try object.optionalString("nonce")
    }

    /// The claims of a token that has not been verified.
    static func unverifiedClaims(of text: String) throws(JOSEError) -> JWTClaims {
        try JWTClaims(CompactJWS(parsing: text, maximumLength: maximumLength).payloadObject())
    }
}
