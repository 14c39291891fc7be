// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

/// RFC 9068 section 4: the access token is a JWT of the issuer, for this API, in time.
struct CheckAccessToken {
    let validation: JWTValidation
    let keys: any JWKSetSource

    func run(
        _ presented: CheckCredentials.Presented,
        _ challenges: ChallengeWriter,
        at now: Timestamp
    ) async throws(Refusal) -> JWTClaims {
        do {
            let keyID = try CompactJWS(parsing: presented.accessToken).header["kid"]?.stringValue
            return try validation.validate(
                presented.accessToken,
                with: try await keySet(forKeyID: keyID),
                at: now
            )
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw presented.isBearer
                ? challenges.bearerRefused("The access token is invalid or has expired")
                : challenges.refused(.invalidToken, "The access token is invalid or has expired")
        }
    }

    private func keySet(forKeyID keyID: String?) async throws(Refusal) -> JWKSet {
        do {
            return try await keys.keySet(forKeyID: keyID)
        } catch {
            throw .unavailable
        }
    }
}
