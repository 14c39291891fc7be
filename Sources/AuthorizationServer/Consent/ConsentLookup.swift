// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// Decides whether an earlier consent of the user covers a request.
struct ConsentLookup {
    let services: Services

    /// Whether consent for this request may be stored and reused.
    ///
    /// RFC 6749 section 10.2, RFC 8252 section 8.6: any app can use the `client_id` of another app and listen on a
    /// loopback address or for a custom scheme. Only an https redirect URI identifies its owner.
    ///
    /// RFC 8628 section 5.4: the user is always asked about a device, since anyone can start such a request. Nobody knows
    /// who is behind a client that registered itself.
    func isAllowed(for request: AuthorizationRequest, of client: RegisteredClient) -> Bool {
        guard request.deviceCodeHash == nil, client.origin == .registeredByOperator else { return false }
        let uri = try? URI(parsing: request.redirectURI)
        return uri?.scheme == "https" || services.configuration.remembersConsentForRedirectsThatAnyAppCanTake
    }

    /// The consent that must be stored to skip the consent page; `nil` if the user must be asked in any case.
    func needed(
        for request: AuthorizationRequest,
        by client: RegisteredClient,
        of subject: String,
        at now: Timestamp
    ) -> StoredConsent? {
        let prompts = request.authentication.prompts
        guard isAllowed(for: request, of: client), prompts.isDisjoint(with: [.consent, .selectAccount]) else {
            return nil
        }
        return request.consent(of: subject, at: now)
    }

    /// The consent that covers the request, unless the request requires asking the user.
    func decision(
        for pending: PendingAuthorization,
        of subject: String,
        at now: Timestamp
    ) -> ConsentDecision? {
        guard let needed = needed(for: pending.request, by: pending.client, of: subject, at: now),
            let stored = pending.browser.consent, needed.scope.isSubset(of: stored.scope)
        else { return nil }
        return .remembered(needed)
    }
}
