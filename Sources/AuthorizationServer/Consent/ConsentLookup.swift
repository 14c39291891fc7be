// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// When a person need not be asked again for what they allowed before.
struct ConsentLookup {
    let services: Services

    /// Whether what the person allows for this request may be remembered, and relied on later.
    ///
    /// RFC 6749 section 10.2, RFC 8252 section 8.6: any app can use the `client_id` of another one and listen at a loopback
    /// address or for a scheme. Only an https address leads to its owner.
    ///
    /// RFC 8628 section 5.4: for a device the person is asked always, since anybody can start that.
    func isAllowed(for request: AuthorizationRequest) -> Bool {
        guard request.deviceCodeHash == nil else { return false }
        let uri = try? URI(parsing: request.redirectURI)
        return uri?.scheme == "https" || services.configuration.remembersConsentForRedirectsThatAnyAppCanTake
    }

    /// The consent that must be stored for the request to need no page; `nil` when the person has to be asked in any case.
    func needed(for request: AuthorizationRequest, of subject: String, at now: Timestamp) -> StoredConsent? {
        let prompts = request.authentication.prompts
        guard isAllowed(for: request), prompts.isDisjoint(with: [.consent, .selectAccount]) else { return nil }
        return request.consent(of: subject, at: now)
    }

    /// The consent that covers the request, when nobody wants the person to be asked.
    func basis(
        for request: AuthorizationRequest,
        of subject: String,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> ConsentDecision? {
        guard let needed = needed(for: request, of: subject, at: now) else { return nil }
        let stored = try await services.stored {
            try await $0.consent(of: needed.subject, to: needed.clientID, details: needed.detailsHash)
        }
        guard let stored, needed.scope.isSubset(of: stored.scope) else { return nil }
        return .remembered(needed)
    }
}
