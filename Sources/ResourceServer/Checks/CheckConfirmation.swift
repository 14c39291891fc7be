// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import StrictJSON

/// RFC 9449 sections 6.1, 7.1 and 7.2: the token is bound to a key, and sent with the DPoP scheme; or it is bound to
/// nothing, sent as a bearer token, and the API accepts that.
struct CheckConfirmation {
    private static let section = "RFC 9449 section 7.2"

    static func run(
        _ claims: JWTClaims,
        _ presented: CheckCredentials.Presented,
        _ challenges: ChallengeWriter
    ) throws(GuardFailure) -> TokenBinding {
        guard !presented.isBearer else {
            // Bound in any way, such as to a certificate: then it is no bearer token.
            guard challenges.acceptsBearer, claims.object["cnf"] == nil else {
                throw challenges.rejected(
                    .invalidToken,
                    "The access token must be used with the DPoP scheme and a proof",
                    isBearer: true,
                    RejectionReason("confirmation", section, expected: "the scheme DPoP", found: "the scheme Bearer")
                )
            }
            return .nothing
        }
        // A token that is bound in another way only, such as to a certificate (`x5t#S256`), counts as not bound.
        guard let text = claims.object["cnf"]?.objectValue?["jkt"]?.stringValue,
            let thumbprint = try? JWKThumbprint(text)
        else {
            throw challenges.rejected(
                .invalidToken,
                "The access token is not bound to a key",
                RejectionReason("confirmation", "RFC 9449 section 6.1", expected: "a token with cnf.jkt")
            )
        }
        return .key(thumbprint)
    }
}
