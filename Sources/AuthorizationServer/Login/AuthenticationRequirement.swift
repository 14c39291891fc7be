// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// Whether a user who signed in must authenticate again before a request can proceed.
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
        checked.fitness(of: session.authenticatedUser, signedInForThis: session.requestHash == uri.hash, at: now)
    }
}

extension CheckedAuthorizationRequest {
    /// Checks who signed in against the requirements of the request (OpenID Connect Core sections 3.1.2.1 and 3.1.2.3,
    /// RFC 9470), for pages and apps alike.
    ///
    /// - Parameters:
    ///   - user: Who signed in.
    ///   - signedInForThis: Whether the user signed in for this request; never for one that is not stored.
    ///   - now: The time.
    /// - Returns: Whether that suffices.
    func fitness(of user: AuthenticatedUser, signedInForThis: Bool, at now: Timestamp) -> AuthenticationRequirement {
        let demand = request.authentication
        guard demand.subject?.isIdentical(to: user.subject) ?? true else {
            return signedInForThis ? .isAnotherPerson : .needsLogin
        }
        let isStrongEnough =
            demand.contexts.isEmpty
            || demand.contexts.contains { $0.isIdentical(to: user.authentication.reference ?? "") }
        guard isStrongEnough else { return signedInForThis ? .isTooWeak : .needsLogin }
        if signedInForThis { return .fits }
        if demand.prompts.contains(.login) { return .needsLogin }
        guard let maxAge = demand.maxAge else { return .fits }
        // A login in the future was made while the clock was ahead: nobody knows how long ago. The clock of another server, or
        // that of a login system, may be ahead by a minute.
        let isKnownAge = user.authenticatedAt <= now + .seconds(60)
        return maxAge > .zero && isKnownAge && now - user.authenticatedAt <= maxAge ? .fits : .needsLogin
    }
}
