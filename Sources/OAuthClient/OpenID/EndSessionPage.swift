// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import StrictJSON

/// The server's logout page (`end_session_endpoint`), with its parameters.
struct EndSessionPage {
    let endpoint: URI
    let clientID: String
    /// Identifies the session (`id_token_hint`); without it the server asks the user.
    let idToken: IDToken?

    func url(postLogoutRedirectURI: String?, state: String?) throws(OAuthClientError) -> String {
        var parameters = FormParameters()
        if let idToken { parameters.append("id_token_hint", idToken.rawValue) }
        parameters.append("client_id", clientID)
        if let postLogoutRedirectURI {
            _ = try Self.redirectURI(postLogoutRedirectURI)
            parameters.append("post_logout_redirect_uri", postLogoutRedirectURI)
        }
        if let state { parameters.append("state", state) }
        return endpoint.appendingQuery(parameters).description
    }

    /// Takes the user to the page, and checks that the browser returns from this visit; then its last page can say so.
    func visit(
        with userAgent: some UserAgent,
        _ postLogoutRedirectURI: String,
        _ client: OAuth2Client
    ) async throws(OAuthClientError) {
        let registered = try Self.redirectURI(postLogoutRedirectURI)
        let state = Base64URL.encode(client.entropy.bytes(32))
        let expiresAt = client.clock.now() + client.configuration.transactionLifetime
        let callback: AuthorizationCallback
        do {
            callback = try await userAgent.authorize(redirectURI: postLogoutRedirectURI) { redirectURI in
                AuthorizationRequest(
                    url: try url(postLogoutRedirectURI: redirectURI, state: state),
                    redirectURI: redirectURI,
                    state: state,
                    expiresAt: expiresAt,
                    responseMode: .query
                )
            }
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the user agent failed")
        }
        guard let returned = try? URI(parsing: callback.url),
            RedirectURIComparison.isSame(returned, registered, ignoringLoopbackPort: true)
        else { throw OAuthClientError(.unrelatedCallback, "the browser returned to a different URI") }
        let query = try? FormParameters(decoding: returned.query ?? "")
        guard let received = try? query?.value(for: "state"), received.isIdenticalInConstantTime(to: state) else {
            throw OAuthClientError(.unknownState, "'state' of the answer is not the one that was sent")
        }
        await callback.concludeSignOut()
    }

    private static func redirectURI(_ text: String) throws(OAuthClientError) -> URI {
        guard let uri = try? URI(parsing: text), uri.fragment == nil else {
            throw OAuthClientError(.invalidArgument, "the redirect URI is not an absolute URI without a fragment")
        }
        return uri
    }
}
