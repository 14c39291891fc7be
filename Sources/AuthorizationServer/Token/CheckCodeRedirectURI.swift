// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 section 4.1.3: the redirect URI of the token request is that of the authorization request.
struct CheckCodeRedirectURI: Check {
    let section = "RFC 6749 section 4.1.3"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let code = try request.established(request.code)
        guard try request.requiredParameter("redirect_uri").isIdentical(to: code.redirectURI) else {
            throw ProtocolFailure(.invalidGrant, "the redirect_uri is not that of the authorization request")
        }
    }
}
