// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import ResourceServer

/// Reads access tokens of this server, signed or stored, for the APIs that the server provides itself.
struct IssuedAccessTokens: AccessTokenReader {
    let services: Services

    func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims? {
        let audience = services.configuration.audience
        guard let claims = try await services.claims(ofAccessToken: accessToken, at: now),
            let expiresAt = claims.expiresAt, now < expiresAt,
            claims.audience.contains(where: { $0.isIdentical(to: audience) })
        else { return nil }
        return claims
    }
}
