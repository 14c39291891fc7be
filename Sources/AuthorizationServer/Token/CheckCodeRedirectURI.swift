// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 section 4.1.3: the token request has the same redirect URI as the authorization request, or none if that had
/// none.
struct CheckCodeRedirectURI: Rule {
    let section = "RFC 6749 section 4.1.3"

    func check(_ request: CodeRequest, _ services: Services) throws(ProtocolFailure) {
        let expected = request.code.redirectURI
        let sent =
            expected.isEmpty ? try request.parameter("redirect_uri") : try request.requiredParameter("redirect_uri")
        guard (sent ?? "").isIdentical(to: expected) else {
            throw ProtocolFailure(.invalidGrant, "the redirect_uri is not that of the authorization request")
        }
    }
}
