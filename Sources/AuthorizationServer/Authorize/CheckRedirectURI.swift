// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 6749 section 3.1.2 and RFC 9700 section 2.1: the redirect URI is byte for byte a registered one.
///
/// Until this check passes, nothing may be sent to the URI.
struct CheckRedirectURI: Check {
    let section = "RFC 9700 section 2.1"
    /// Whether the request needs one: not if its response goes to no browser.
    var isRequired = true

    func run(_ request: ClientRequest, _ services: Services) throws(ProtocolFailure) -> RedirectRequest {
        let sent = try request.parameter("redirect_uri")
        guard isRequired || sent != nil else { return RedirectRequest(clientRequest: request, redirectURI: "") }
        let redirectURI = try request.requiredParameter("redirect_uri")
        let registered = request.client.redirectURIs
        guard registered.contains(where: { RedirectURIMatch.matches(redirectURI, registered: $0) }) else {
            throw ProtocolFailure(.invalidRequest, "the redirect_uri is not registered for this client")
        }
        return RedirectRequest(clientRequest: request, redirectURI: redirectURI)
    }
}
