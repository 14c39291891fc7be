// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON

/// RFC 9470 section 3: the user signed in as, and as recently as, the request needs.
struct CheckAuthentication {
    static func run(
        _ claims: JWTClaims,
        _ presented: CheckCredentials.Presented,
        for requirement: GuardRequirement,
        leeway: Duration,
        _ challenges: ChallengeWriter,
        at now: Timestamp
    ) throws(GuardFailure) {
        let context = claims.string("acr")
        let isContextMet =
            requirement.contexts.isEmpty
            || context.map { context in requirement.contexts.contains { $0.isIdentical(to: context) } } ?? false
        let age = (try? claims.object.optionalDate("auth_time")).flatMap { $0 }.map { now - $0 }
        // A sign-in that is still to come says nothing about one that was (OpenID Connect Core 1.0 section 2).
        let isAgeMet =
            requirement.maximumAge.map { limit in
                age.map { $0 <= limit + leeway && $0 >= .zero - leeway } ?? false
            } ?? true
        guard isContextMet, isAgeMet else {
            throw challenges.rejected(
                .insufficientUserAuthentication,
                "A different authentication level is required",
                isBearer: presented.isBearer,
                with: parameters(of: requirement),
                reason(requirement, isContextMet: isContextMet, age: age)
            )
        }
    }

    private static func parameters(of requirement: GuardRequirement) -> [Challenge.Parameter] {
        var parameters: [Challenge.Parameter] = []
        if !requirement.contexts.isEmpty {
            parameters.append(.init(name: "acr_values", value: requirement.contexts.joined(separator: " ")))
        }
        if let age = requirement.maximumAge {
            parameters.append(.init(name: "max_age", value: "\(age.components.seconds)"))
        }
        return parameters
    }

    private static func reason(
        _ requirement: GuardRequirement,
        isContextMet: Bool,
        age: Duration?
    ) -> RejectionReason {
        let section = "RFC 9470 section 3"
        guard isContextMet else {
            let contexts = requirement.contexts.joined(separator: " or ")
            return RejectionReason("authentication", section, expected: "acr = \(contexts)")
        }
        let limit = requirement.maximumAge.map { "auth_time within \($0.components.seconds) s" }
        return RejectionReason(
            "authentication",
            section,
            expected: limit,
            found: age.map { "\($0.components.seconds) s" } ?? "no auth_time"
        )
    }
}
