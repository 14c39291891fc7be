// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RP-Initiated Logout section 3: `post_logout_redirect_uri` is identical to one that is registered for the client.
///
/// This includes loopback addresses: RFC 8252 section 7.3 lets the port vary only in the redirect URIs of authorization
/// requests. An app to which the browser should return registers the port that it listens on.
///
/// The URIs of a client with a metadata document are of its host
/// (draft-ietf-oauth-client-id-metadata-document-02 section 8.1). Those that an earlier version stored may not be.
///
/// Until this check passes, the browser must not be redirected there.
struct CheckPostLogoutRedirectURI: Check {
    let section = "OpenID Connect RP-Initiated Logout section 3"

    func run(_ request: consuming SignOutRequest, _ services: Services) throws(ProtocolFailure) -> SignOutRequest {
        guard let uri = try request.parameter("post_logout_redirect_uri") else { return request }
        let registered = request.client?.postLogoutRedirectURIs ?? []
        guard registered.contains(where: { uri.isIdentical(to: $0) }) else {
            throw ProtocolFailure(
                .invalidRequest,
                "the post_logout_redirect_uri is not exactly one that is registered for this client"
            )
        }
        if let client = request.client, client.origin == .document {
            guard ClientDocumentURL.isHome(client.clientID, ofRedirectURI: uri) else {
                throw ProtocolFailure(
                    .invalidRequest,
                    "the post_logout_redirect_uri is of another host than the metadata document of the client"
                )
            }
        }
        request.redirectURI = uri
        return request
    }
}
