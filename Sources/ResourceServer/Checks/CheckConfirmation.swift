// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import StrictJSON

/// RFC 9449 sections 6.1, 7.1 and 7.2: the token is bound to a key, and sent with the DPoP scheme.
struct CheckConfirmation {
    static func run(
        _ claims: JWTClaims,
        _ presented: CheckCredentials.Presented,
        _ challenges: ChallengeWriter
    ) throws(Rejection) -> JWKThumbprint {
        guard !presented.isBearer else {
            throw challenges.bearerRejected("The access token must be used with the DPoP scheme and a proof")
        }
        // A token that is bound in another way only, such as to a certificate (`x5t#S256`), counts as not bound.
        guard let text = claims.object["cnf"]?.objectValue?["jkt"]?.stringValue,
            let thumbprint = try? JWKThumbprint(text)
        else { throw challenges.refused(.invalidToken, "The access token is not bound to a key") }
        return thumbprint
    }
}
