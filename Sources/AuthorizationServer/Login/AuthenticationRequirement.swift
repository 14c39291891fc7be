// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// Whether the person of a session may answer a request as they are.
enum AuthenticationRequirement {
    case fits
    /// They have to sign in: they did so too long ago, or somebody else is asked for.
    case needsLogin
    /// They signed in for this request, and are not who is asked for.
    case isAnotherPerson
    /// They signed in for this request, and not in one of the ways that are asked for.
    case isTooWeak
}

extension PendingAuthorization {
    /// Judges a session by what the request asks about the person.
    func fitness(of session: BrowserSession, at now: Timestamp) -> AuthenticationRequirement {
        checked.fitness(of: session, signedInForThis: session.requestHash == uri.hash, at: now)
    }
}

extension CheckedAuthorizationRequest {
    /// Judges a session by what the request asks about the person (OpenID Connect Core sections 3.1.2.1 and 3.1.2.3, RFC 9470).
    ///
    /// Nobody has signed in for a request that is not stored.
    func fitness(of session: BrowserSession, signedInForThis: Bool, at now: Timestamp) -> AuthenticationRequirement {
        let demand = request.authentication
        guard demand.subject?.isIdentical(to: session.subject) ?? true else {
            return signedInForThis ? .isAnotherPerson : .needsLogin
        }
        let isStrongEnough =
            demand.contexts.isEmpty
            || demand.contexts.contains { $0.isIdentical(to: session.authentication.reference ?? "") }
        guard isStrongEnough else { return signedInForThis ? .isTooWeak : .needsLogin }
        if signedInForThis { return .fits }
        if demand.prompts.contains(.login) { return .needsLogin }
        guard let maxAge = demand.maxAge else { return .fits }
        return maxAge > .zero && now - session.authenticatedAt <= maxAge ? .fits : .needsLogin
    }
}
