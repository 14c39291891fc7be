// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
import StrictJSON

/// Who signed in, as the server said it to this client: an id_token that was validated when it came.
///
/// It is for the app alone: an API gets access tokens. One that comes out of a store was validated before it was stored, and
/// is not validated again: its signing key and its time may be over. It does not print.
///
/// ## Specification
///
/// [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
public struct IDToken: Sendable, Hashable, RedactedSecret {
    /// What is longer is refused before anything is decoded, in characters.
    static let maximumLength = 16_384

    /// The JWT as it was received.
    public let rawValue: String
    /// Every claim.
    public let claims: JWTClaims
    /// `iss`: the server.
    public let issuer: String
    /// `sub`: the user, never given to another one by the same server.
    public let subject: String
    /// `auth_time`: when the user signed in; `nil` when the server does not say.
    ///
    /// A refresh does not change it: when the newer id_token does not say, this is what an earlier one said.
    public let authTime: Timestamp?
    /// `nonce`: that of the sign-in, kept over refreshes as ``authTime`` is.
    public let nonce: String?

    /// Takes a token whose claims are known to be right.
    ///
    /// - Parameters:
    ///   - rawValue: The JWT.
    ///   - claims: Its claims.
    ///   - original: The token of the same sign-in that came before.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/invalidClaim``.
    init(_ rawValue: String, _ claims: JWTClaims, continuing original: IDToken? = nil) throws(JOSEError) {
        self.rawValue = rawValue
        self.claims = claims
        issuer = try claims.object.requiredString("iss")
        subject = try claims.object.requiredString("sub")
        authTime = try claims.object.optionalDate("auth_time") ?? original?.authTime
        nonce = try claims.object.optionalString("nonce") ?? original?.nonce
    }

    /// `aud`: this client, and whom else the token is for.
    public var audience: [String] { claims.audience }
    /// `iat`: when the token was issued.
    public var issuedAt: Timestamp? { claims.issuedAt }
    /// `exp`: until when the token could be accepted; the session is not bound to it.
    public var expiresAt: Timestamp? { claims.expiresAt }
    /// `acr`: the authentication context.
    public var authenticationContext: String? { claims.string("acr") }
    /// `amr`: how the user signed in, such as `pwd` and `otp` (RFC 8176).
    public var authenticationMethods: [String] {
        claims.object["amr"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
    /// `azp`: the client that the token was issued to.
    public var authorizedParty: String? { claims.string("azp") }

    /// Compares in a time that does not tell where two values differ.
    ///
    /// - Parameters:
    ///   - left: One token.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte, with what they keep of earlier ones.
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

    /// Reads what ``storedMembers`` wrote; nothing is validated again.
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

    /// The claims of a token that nobody has looked at yet.
    static func unverifiedClaims(of text: String) throws(JOSEError) -> JWTClaims {
        try JWTClaims(CompactJWS(parsing: text, maximumLength: maximumLength).payloadObject())
    }
}
