// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage
import OAuthSystem

/// Several requirements for one request.
extension RequestGuard {
    /// Checks a request that this guard may have accepted already, for a weaker or another requirement.
    ///
    /// A proof works once (RFC 9449 section 11.1), so a second full check would always reject the request. If this guard
    /// accepted it, only what differs between requirements is checked: whether a bearer token will do, the scope, the
    /// claims, and the authentication of the user. What another guard accepted is checked in full.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - requirement: What the route demands of the token.
    ///   - earlier: What a guard made of the same request; `nil` if none has checked it.
    /// - Returns: The verified claims, or the response to send. The fields of the response are those of a first check
    ///   only: the value `earlier` has the others.
    package func check(
        _ request: HTTPRequest,
        for requirement: GuardRequirement,
        after earlier: AuthorizedRequest?
    ) async -> GuardDecision {
        guard let earlier, earlier.identity === identity else { return await check(request, for: requirement) }
        do {
            return .accepted(try authorize(request, for: requirement, again: earlier))
        } catch {
            return .rejected(rejection(error, of: request))
        }
    }

    private func authorize(
        _ request: HTTPRequest,
        for requirement: GuardRequirement,
        again earlier: AuthorizedRequest
    ) throws(GuardFailure) -> AuthorizedRequest {
        let challenges = writer(for: requirement)
        let presented = try CheckCredentials.run(request, for: requirement, challenges)
        let binding = try CheckConfirmation.run(earlier.claims, presented, challenges)
        let scope = try CheckScope.run(earlier.claims, presented, for: requirement, challenges)
        try CheckClaims.run(earlier.claims, presented, needed: requirement.claims, challenges)
        try CheckAuthentication.run(
            earlier.claims,
            presented,
            for: requirement,
            leeway: configuration.leeway,
            challenges,
            at: clock.now()
        )
        return AuthorizedRequest(
            claims: earlier.claims,
            subject: earlier.subject,
            clientID: earlier.clientID,
            scope: scope,
            binding: binding,
            responseFields: [:],
            identity: identity
        )
    }
}
