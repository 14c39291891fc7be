// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RP-Initiated Logout section 3: `post_logout_redirect_uri` is registered for the client.
///
/// Until this check passes, the browser must not be redirected there.
struct CheckPostLogoutRedirectURI: Check {
    let section = "OpenID Connect RP-Initiated Logout section 3"

    func run(_ request: consuming SignOutRequest, _ services: Services) throws(ProtocolFailure) -> SignOutRequest {
        guard let uri = try request.parameter("post_logout_redirect_uri") else { return request }
        let registered = request.client?.postLogoutRedirectURIs ?? []
        guard registered.contains(where: { RedirectURIMatch.matches(uri, registered: $0) }) else {
            throw ProtocolFailure(.invalidRequest, "the post_logout_redirect_uri is not registered for this client")
        }
        request.redirectURI = uri
        return request
    }
}
