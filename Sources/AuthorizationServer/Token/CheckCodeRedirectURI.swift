// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 section 4.1.3: the token request has the same redirect URI as the authorization request.
struct CheckCodeRedirectURI: Rule {
    let section = "RFC 6749 section 4.1.3"

    func check(_ request: CodeRequest, _ services: Services) throws(ProtocolFailure) {
        guard try request.requiredParameter("redirect_uri").isIdentical(to: request.code.redirectURI) else {
            throw ProtocolFailure(.invalidGrant, "the redirect_uri is not that of the authorization request")
        }
    }
}
