// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import StrictJSON

/// RFC 6750 section 3.1: the token has the claims that the request needs.
///
/// The challenge names no scope, since no scope would help: a client that is told one asks for a new token, in vain.
struct CheckClaims {
    static func run(
        _ claims: JWTClaims,
        _ presented: CheckCredentials.Presented,
        needed: [ClaimRequirement],
        _ challenges: ChallengeWriter
    ) throws(GuardFailure) {
        for requirement in needed {
            let value = requirement.claim.value(in: claims.object)
            guard requirement.isMet(by: value) else {
                throw challenges.rejected(
                    .insufficientScope,
                    "The access token does not have a claim that is needed",
                    isBearer: presented.isBearer,
                    status: 403,
                    RejectionReason(
                        "claims",
                        "RFC 6750 section 3.1",
                        expected: requirement.description,
                        found: kind(of: value)
                    )
                )
            }
        }
    }

    /// What was found, but not the value, which may say something about a person.
    private static func kind(of value: JSONValue?) -> String {
        switch value {
        case nil: "no such claim"
        case .string?: "another value"
        case .array(let elements)? where elements.allSatisfy({ $0.stringValue != nil }): "other values"
        default: "a value of another type"
        }
    }
}
