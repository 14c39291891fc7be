// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// What a request needs of its user next, whether a page asks for it or an app.
enum SignInPlan {
    /// The user is signed in as the request demands.
    case finished
    /// The user must sign in.
    case ask
    /// The request cannot be met (OpenID Connect Core section 3.1.2.6, RFC 9470 section 5).
    case refuse(OAuthErrorResponse)

    fileprivate static let loginRequired = SignInPlan.refuse(
        OAuthErrorResponse(
            .loginRequired,
            errorDescription: "the person has to sign in, or is not the one who was asked for"
        )
    )
    fileprivate static let requirementsUnmet = SignInPlan.refuse(
        OAuthErrorResponse(
            .unmetAuthenticationRequirements,
            errorDescription: "the person did not sign in in one of the ways of the acr_values"
        )
    )
}

extension CheckedAuthorizationRequest {
    /// Decides what the request needs next.
    ///
    /// - Parameters:
    ///   - user: The user who signed in; `nil` for none.
    ///   - signedInForThis: Whether the user signed in for this request.
    ///   - now: The time.
    /// - Returns: What it needs.
    func signInPlan(for user: AuthenticatedUser?, signedInForThis: Bool, at now: Timestamp) -> SignInPlan {
        let mayAsk = !request.authentication.prompts.contains(.noPage)
        guard let user else { return mayAsk ? .ask : .loginRequired }
        return switch fitness(of: user, signedInForThis: signedInForThis, at: now) {
        case .fits: .finished
        case .isTooWeak: .requirementsUnmet
        case .isAnotherPerson: .loginRequired
        case .needsLogin: mayAsk ? .ask : .loginRequired
        }
    }
}

extension PendingAuthorization {
    /// Decides what the request needs next in its browser.
    func signInPlan(at now: Timestamp) -> SignInPlan {
        let session = signedIn?.session
        return checked.signInPlan(
            for: session?.authenticatedUser,
            signedInForThis: session?.requestHash == uri.hash,
            at: now
        )
    }
}
