// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem

/// RFC 9068 section 4, RFC 7662 section 2.2: the access token is valid, from the issuer, and for this API.
struct CheckAccessToken {
    let reader: any AccessTokenReader

    func run(
        _ presented: CheckCredentials.Presented,
        _ challenges: ChallengeWriter,
        at now: Timestamp
    ) async throws(Rejection) -> JWTClaims {
        guard let claims = try await claims(of: presented.accessToken, at: now) else {
            throw presented.isBearer
                ? challenges.bearerRejected("The access token is invalid or has expired")
                : challenges.refused(.invalidToken, "The access token is invalid or has expired")
        }
        return claims
    }

    private func claims(of accessToken: String, at now: Timestamp) async throws(Rejection) -> JWTClaims? {
        do {
            return try await reader.claims(of: accessToken, at: now)
        } catch {
            throw .unavailable
        }
    }
}
