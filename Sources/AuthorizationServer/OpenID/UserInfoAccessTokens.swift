// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer

/// Reads access tokens of this server, signed or stored, for the userinfo endpoint only: the audience is not checked here.
///
/// One for another API is read too if it has the scope `openid`: then only a request that passes every other check, above
/// all that of the key, is told what is wrong. Whoever uses the claims must ask ``isForServer(_:)``.
struct UserInfoAccessTokens: AccessTokenReader {
    let services: Services

    func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims? {
        guard let claims = try await services.claims(ofAccessToken: accessToken, at: now),
            let expiresAt = claims.expiresAt, now < expiresAt, isForServer(claims) || Self.hasOpenID(claims)
        else { return nil }
        return claims
    }

    /// RFC 9068 section 4: whether the token is for the APIs of this server itself.
    func isForServer(_ claims: JWTClaims) -> Bool {
        let audience = services.configuration.audience
        return claims.audience.contains { $0.isIdentical(to: audience) }
    }

    private static func hasOpenID(_ claims: JWTClaims) -> Bool {
        claims.string("scope").flatMap { try? Scope(parsing: $0) }?.isForOpenID ?? false
    }
}
