// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// Makes the issued values: codes and refresh tokens are random, access tokens are signed (RFC 9068).
struct TokenIssuer: Sendable {
    let configuration: ServerConfiguration
    let keys: CurrentSigningKeys
    let entropy: any Entropy

    func makeCode(at now: Timestamp) -> AuthorizationCode {
        AuthorizationCode(TimeOrderedToken.make("kbc_", at: now, entropy))
    }

    func makeRefreshToken(at now: Timestamp) -> RefreshToken {
        RefreshToken(TimeOrderedToken.make("kbr_", at: now, entropy))
    }

    /// Makes a device code: 256 random bits, with a prefix for secret scanners.
    func makeDeviceCode() -> String {
        "kbd_" + random()
    }

    /// Makes a random identifier of 256 bits.
    func random() -> String {
        Base64URL.encode(entropy.bytes(32))
    }

    /// Makes an access token (RFC 9068 section 2), bound to a key if there is one (RFC 9449 section 6.1).
    ///
    /// - Parameters:
    ///   - grant: The grant that it is issued under.
    ///   - access: The access that it carries.
    ///   - changes: Claims that replace those of the grant, or remove them.
    ///   - thumbprint: The key that it is bound to.
    ///   - now: The current time.
    /// - Returns: The token, and the record that must be stored before it works.
    /// - Throws: ``/JOSE/JOSEError/Code/keyNotFound`` if no key has the algorithm of the API; errors of signing.
    func makeAccessToken(
        for grant: Grant,
        _ access: GrantedAccess,
        changing changes: [(name: String, value: JSONValue?)] = [],
        thumbprint: JWKThumbprint?,
        at now: Timestamp
    ) async throws(JOSEError) -> (token: AccessToken, stored: StoredAccessToken?) {
        var claims = claims(for: grant, access, thumbprint: thumbprint, at: now)
        for change in changes { claims[change.name] = change.value }
        switch access.target.format {
        case .jwt:
            guard let key = keys.now.accessTokenKey(for: access.target.signingAlgorithm) else {
                throw JOSEError(.keyNotFound, "there is no key for the algorithm of the API")
            }
            return (AccessToken(try await sign(claims, with: key)), nil)
        case .opaque:
            let token = AccessToken(TimeOrderedToken.make(Self.accessTokenPrefix, at: now, entropy))
            let stored = StoredAccessToken(
                tokenHash: SecretHash(of: token.value),
                grantID: grant.id,
                claims: claims,
                expiresAt: now + access.lifetime
            )
            return (token, stored)
        }
    }

    private func claims(
        for grant: Grant,
        _ access: GrantedAccess,
        thumbprint: JWKThumbprint?,
        at now: Timestamp
    ) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(configuration.issuer.description),
            "sub": .string(grant.subject),
            "aud": access.target.audience,
            "client_id": .string(grant.clientID),
            "iat": .number(JSONNumber(now.secondsSince1970)),
            "exp": .number(JSONNumber((now + access.lifetime).secondsSince1970)),
            "jti": .string(Base64URL.encode(entropy.bytes(16))),
            Self.grantClaim: .string(grant.id),
        ]
        // Section 2.2.1: a client credentials grant has no authenticated user.
        if !grant.isOfClientItself {
            claims["auth_time"] = .number(JSONNumber(grant.authenticatedAt.secondsSince1970))
        }
        grant.authentication.write(to: &claims)
        // Section 2.2.3: `scope` has at least one word, or is absent.
        if !access.scope.isEmpty { claims["scope"] = .string(access.scope.description) }
        // RFC 9396 section 9.1.
        if !access.details.isEmpty {
            claims["authorization_details"] = .array(access.details.map { .object($0.json) })
        }
        claims["cnf"] = thumbprint.map { ["jkt": .string($0.description)] }
        return claims
    }

    /// The prefix of opaque access tokens, for secret scanners.
    static let accessTokenPrefix = "kba_"

    /// The claim that identifies the grant of an access token, for revocation.
    static let grantClaim = "grant_id"

    private func sign(_ claims: JSONObject, with key: some SigningKey) async throws(JOSEError) -> String {
        let header: JSONObject = ["typ": "at+jwt", "kid": .string(key.keyID)]
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }
}
