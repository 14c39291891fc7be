// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// RFC 6750 section 3.1: the token has the scope that the request needs.
struct CheckScope {
    static func run(
        _ claims: JWTClaims,
        _ presented: CheckCredentials.Presented,
        needed: Scope,
        _ challenges: ChallengeWriter
    ) throws(GuardFailure) -> Scope {
        let scope = claims.string("scope").flatMap { try? Scope(parsing: $0) } ?? .empty
        guard needed.isSubset(of: scope) else {
            throw challenges.rejected(
                .insufficientScope,
                "The access token does not have the scope that is needed",
                isBearer: presented.isBearer,
                status: 403,
                with: [.init(name: "scope", value: needed.description)],
                RejectionReason(
                    "scope",
                    "RFC 6750 section 3.1",
                    expected: "scope = \(needed)",
                    found: "scope = \(scope)"
                )
            )
        }
        return scope
    }
}
