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

    func makeCode(for grant: Grant, at now: Timestamp) throws(ProtocolFailure) -> AuthorizationCode {
        AuthorizationCode(try secret(.code, for: grant.id, at: now))
    }

    /// Makes a refresh token.
    ///
    /// - Parameters:
    ///   - grant: The grant that it is issued under.
    ///   - previous: The token that it replaces; `nil` for the first one of a grant.
    ///   - now: The current time.
    /// - Returns: The token.
    /// - Throws: A failure if the identifier of the grant is not of this server.
    func makeRefreshToken(
        for grant: Grant,
        replacing previous: String?,
        at now: Timestamp
    ) throws(ProtocolFailure) -> RefreshToken {
        let family = previous.flatMap { GrantSecret.family(ofRefreshToken: $0) }
        return RefreshToken(try secret(.refreshToken, for: grant.id, of: family, at: now))
    }

    func makeDeviceCode(for grantID: String, at now: Timestamp) throws(ProtocolFailure) -> String {
        try secret(.deviceCode, for: grantID, at: now)
    }

    private func secret(
        _ kind: GrantSecret.Kind,
        for grantID: String,
        of family: [UInt8]? = nil,
        at now: Timestamp
    ) throws(ProtocolFailure) -> String {
        // `nil` only for a grant that another program wrote into the storage.
        guard let secret = GrantSecret.make(kind, for: grantID, of: family, at: now, entropy) else {
            throw .unavailable
        }
        return secret
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
    ///   - user: Claims about the user; none replaces a claim of the grant.
    ///   - changes: Claims that replace those of the grant, or remove them.
    ///   - thumbprint: The key that it is bound to.
    ///   - now: The current time.
    /// - Returns: The token, and the record that must be stored before it works.
    /// - Throws: ``/JOSE/JOSEError/Code/keyNotFound`` if no key has the algorithm of the API; errors of signing; a
    ///   ``ProtocolFailure`` if the identifier of the grant is not of this server.
    func makeAccessToken(
        for grant: Grant,
        _ access: GrantedAccess,
        about user: JSONObject = JSONObject(),
        changing changes: [(name: String, value: JSONValue?)] = [],
        thumbprint: JWKThumbprint?,
        at now: Timestamp
    ) async throws -> (token: AccessToken, stored: StoredAccessToken?) {
        var claims = claims(for: grant, access, thumbprint: thumbprint, at: now)
        claims.addMissing(user)
        for change in changes { claims[change.name] = change.value }
        switch access.target.format {
        case .jwt:
            guard let key = keys.now.accessTokenKey(for: access.target.signingAlgorithm) else {
                throw JOSEError(.keyNotFound, "there is no key for the algorithm of the API")
            }
            return (AccessToken(try await sign(claims, with: key)), nil)
        case .opaque:
            let token = AccessToken(try secret(.accessToken, for: grant.id, at: now))
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
    static let accessTokenPrefix = SecretPrefix.accessToken.rawValue

    /// The claim that identifies the grant of an access token, for revocation.
    static let grantClaim = "grant_id"

    private func sign(_ claims: JSONObject, with key: some SigningKey) async throws(JOSEError) -> String {
        let header: JSONObject = ["typ": "at+jwt", "kid": .string(key.keyID)]
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }
}
