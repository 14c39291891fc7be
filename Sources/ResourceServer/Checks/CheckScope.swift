// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// RFC 6750 section 3.1: the token has the scope that the request needs.
struct CheckScope {
    static func run(
        _ claims: JWTClaims,
        _ presented: CheckCredentials.Presented,
        for requirement: GuardRequirement,
        _ challenges: ChallengeWriter
    ) throws(GuardFailure) -> Scope {
        let scope = claims.string("scope").flatMap { try? Scope(parsing: $0) } ?? .empty
        guard requirement.isMet(by: scope) else {
            let asked = requirement.scopeToRequest(having: scope)
            throw challenges.rejected(
                .insufficientScope,
                "The access token does not have the scope that is needed",
                isBearer: presented.isBearer,
                status: 403,
                with: asked.isEmpty ? [] : [.init(name: "scope", value: asked.description)],
                RejectionReason(
                    "scope",
                    "RFC 6750 section 3.1",
                    expected: "scope = \(requirement.scopeDescription)",
                    found: "scope = \(scope)"
                )
            )
        }
        return scope
    }
}
