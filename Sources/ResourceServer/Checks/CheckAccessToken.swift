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
    ) async throws(GuardFailure) -> JWTClaims {
        guard let claims = try await claims(of: presented.accessToken, at: now) else {
            throw challenges.rejected(
                .invalidToken,
                "The access token is invalid or has expired",
                isBearer: presented.isBearer,
                RejectionReason(
                    "access-token",
                    "RFC 9068 section 4",
                    expected: "a valid token of the issuer for this API"
                )
            )
        }
        return claims
    }

    private func claims(of accessToken: String, at now: Timestamp) async throws(GuardFailure) -> JWTClaims? {
        do {
            return try await reader.claims(of: accessToken, at: now)
        } catch {
            throw .unavailable("what validates access tokens")
        }
    }
}
