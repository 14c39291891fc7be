// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 6749 section 3.1.2 and RFC 9700 section 2.1: the redirect URI is one that was registered, byte by byte.
///
/// Until this check has passed, nothing may be sent there.
struct CheckRedirectURI: Check {
    let section = "RFC 9700 section 2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let client = try request.established(request.client)
        let redirectURI = try request.requiredParameter("redirect_uri")
        guard client.redirectURIs.contains(where: { RedirectURIMatch.matches(redirectURI, registered: $0) }) else {
            throw ProtocolFailure(.invalidRequest, "the redirect_uri is not registered for this client")
        }
        request.redirectURI = redirectURI
    }
}
