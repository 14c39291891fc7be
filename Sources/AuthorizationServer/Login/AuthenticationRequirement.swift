// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// Whether the user of a session must authenticate again before a request can proceed.
enum AuthenticationRequirement {
    case fits
    /// The user must sign in: the last authentication is too old, or the request is for another user.
    case needsLogin
    /// The user signed in for this request, but is not the requested user.
    case isAnotherPerson
    /// The user signed in for this request, but not in a requested way.
    case isTooWeak
}

extension PendingAuthorization {
    /// Checks a session against the authentication requirements of the request.
    func fitness(of session: BrowserSession, at now: Timestamp) -> AuthenticationRequirement {
        checked.fitness(of: session, signedInForThis: session.requestHash == uri.hash, at: now)
    }
}

extension CheckedAuthorizationRequest {
    /// Checks a session against the requirements of the request (OpenID Connect Core sections 3.1.2.1 and 3.1.2.3, RFC
    /// 9470).
    ///
    /// For a request that is not stored, no user has signed in.
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
