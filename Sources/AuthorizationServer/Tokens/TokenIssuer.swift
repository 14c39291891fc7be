// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// Makes the values that are given out: codes and refresh tokens are random, access tokens are signed (RFC 9068).
struct TokenIssuer: Sendable {
    let configuration: ServerConfiguration
    let keys: CurrentSigningKeys
    let entropy: any Entropy

    /// A new code: 256 random bits, with a prefix that secret scanners can find.
    func makeCode() -> AuthorizationCode {
        AuthorizationCode("kbc_" + random())
    }

    /// A new refresh token: 256 random bits, with a prefix that secret scanners can find.
    func makeRefreshToken() -> RefreshToken {
        RefreshToken("kbr_" + random())
    }

    /// A new device code: 256 random bits, with a prefix that secret scanners can find.
    func makeDeviceCode() -> String {
        "kbd_" + random()
    }

    /// A new name for what is kept by it: 256 random bits.
    func random() -> String {
        Base64URL.encode(entropy.bytes(32))
    }

    /// A new access token (RFC 9068 section 2), bound to a key when there is one (RFC 9449 section 6.1).
    func makeAccessToken(
        for grant: Grant,
        scope: Scope,
        thumbprint: JWKThumbprint?,
        at now: Timestamp
    ) async throws(JOSEError) -> AccessToken {
        let end = now + configuration.lifetimes.accessToken
        let claims = claims(for: grant, scope: scope, thumbprint: thumbprint, at: now, until: end)
        return AccessToken(try await sign(claims, with: keys.now.accessTokenKey))
    }

    /// A new access token for another one (RFC 8693), which says of the person what that one says.
    func makeAccessToken(
        for grant: Grant,
        scope: Scope,
        exchanging exchange: TokenExchange,
        of client: RegisteredClient,
        thumbprint: JWKThumbprint?,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(JOSEError) -> AccessToken {
        var claims = claims(for: grant, scope: scope, thumbprint: thumbprint, at: now, until: end)
        for name in ["auth_time", "acr", "amr", "may_act"] { claims[name] = exchange.subject.claims.object[name] }
        claims["act"] = exchange.actorClaim(for: client)
        return AccessToken(try await sign(claims, with: keys.now.accessTokenKey))
    }

    private func claims(
        for grant: Grant,
        scope: Scope,
        thumbprint: JWKThumbprint?,
        at now: Timestamp,
        until end: Timestamp
    ) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(configuration.issuer.description),
            "sub": .string(grant.subject),
            "aud": .string(configuration.audience),
            "client_id": .string(grant.clientID),
            "iat": .number(JSONNumber(now.secondsSince1970)),
            "exp": .number(JSONNumber(end.secondsSince1970)),
            "jti": .string(Base64URL.encode(entropy.bytes(16))),
            Self.grantClaim: .string(grant.id),
        ]
        // Section 2.2.1: nobody signed in when a client acts for itself.
        if !grant.isOfClientItself {
            claims["auth_time"] = .number(JSONNumber(grant.authenticatedAt.secondsSince1970))
        }
        grant.authentication.write(to: &claims)
        // Section 2.2.3: `scope` has at least one word, or is not there.
        if !scope.isEmpty { claims["scope"] = .string(scope.description) }
        claims["cnf"] = thumbprint.map { ["jkt": .string($0.description)] }
        return claims
    }

    /// The claim that leads from an access token to its grant, for revocation.
    static let grantClaim = "grant_id"

    private func sign(_ claims: JSONObject, with key: some SigningKey) async throws(JOSEError) -> String {
        let header: JSONObject = ["typ": "at+jwt", "kid": .string(key.keyID)]
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }
}
