// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// The request that a browser takes up when an app cannot finish a sign-in itself.
///
/// OAuth 2.0 for First-Party Applications section 5.2.2.1.1.
///
/// It is the first request, bound to the same key, and knows nothing of what was answered: the browser asks for
/// everything, consent too.
struct WebRedirection {
    /// Why the user goes to the browser, for audit events; the client is not told.
    enum Reason: String {
        /// The user or the app chose it.
        case chosen = "chosen"
        /// `prompt` asks for a page.
        case prompt = "prompt"
        /// A login provider knows the users.
        case loginProvider = "login system"
    }

    /// The `request_uri`; `nil` if the request has no redirect URI, so that the app makes a new one.
    let uri: RequestURI?
    let stored: StoredAuthorizationRequest?

    init(of request: CheckedAuthorizationRequest, _ services: Services) {
        guard !request.request.redirectURI.isEmpty else {
            (uri, stored) = (nil, nil)
            return
        }
        let pending = request.pending(services)
        (uri, stored) = (pending.uri, pending.stored)
    }

    /// Why a request needs the browser from the start; `nil` if it does not.
    static func reason(for request: CheckedAuthorizationRequest, _ services: Services) -> Reason? {
        if services.configuration.loginSystem != nil { return .loginProvider }
        let pages: Set<AuthorizationRequest.Authentication.Prompt> = [.consent, .selectAccount]
        return request.request.authentication.prompts.isDisjoint(with: pages) ? nil : .prompt
    }
}
