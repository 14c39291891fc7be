// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension OAuthSession {
    /// The page that ends the user's session at the server, for a browser; nothing changes here.
    ///
    /// Take it before ``signOut()``, which forgets the id_token. It holds the id_token: it is for the browser only.
    ///
    /// - Parameters:
    ///   - postLogoutRedirectURI: Where the browser is sent afterwards, as it is registered for this; `nil` for nowhere.
    ///   - state: What comes back with it.
    /// - Returns: The URL.
    /// - Throws: ``OAuthClientError/Code/unsupportedByServer`` when the server has no such page,
    ///   ``OAuthClientError/Code/invalidArgument`` for a redirect URI that is none,
    ///   ``OAuthClientError/Code/sessionEnded`` after ``signOut()``, and the codes of
    ///   ``OAuth2Client/fetchAuthorizationServerMetadata()``.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect RP-Initiated Logout §2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
    public func endSessionURL(
        postLogoutRedirectURI: String? = nil,
        state: String? = nil
    ) async throws(OAuthClientError) -> String {
        let page = try await endSessionPage()
        return try page.url(postLogoutRedirectURI: postLogoutRedirectURI, state: state)
    }

    /// Ends the session here and at the server: as ``signOut()`` first, whatever comes of it, and then the user's browser
    /// is taken to the page that ends its session there.
    ///
    /// - Parameters:
    ///   - userAgent: What shows the page, and catches the browser when it comes back.
    ///   - postLogoutRedirectURI: Where the browser comes back to, as it is registered for this.
    /// - Throws: What went wrong, of several things the first of these: tokens that could not be deleted here
    ///   (``OAuthClientError/Code/storageFailed``), the other codes of ``signOut()``, those of
    ///   ``endSessionURL(postLogoutRedirectURI:state:)``, those of the user agent, and
    ///   ``OAuthClientError/Code/unrelatedCallback`` or ``OAuthClientError/Code/unknownState`` when the browser came back in
    ///   another way. The user is signed out here nevertheless; the browser is shown the page also when the network failed
    ///   before.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect RP-Initiated Logout §3](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RedirectionAfterLogout)
    public func signOut(
        using userAgent: some UserAgent,
        postLogoutRedirectURI: String
    ) async throws(OAuthClientError) {
        // What the page needs is forgotten below.
        let page = await Self.outcome { () async throws(OAuthClientError) in try await self.endSessionPage() }
        let ending = await Self.outcome { () async throws(OAuthClientError) in try await self.signOut() }
        let visit = await Self.outcome { () async throws(OAuthClientError) in
            try await page.get().visit(with: userAgent, postLogoutRedirectURI, self.client)
        }
        try ending.get()
        try visit.get()
    }

    private func endSessionPage() async throws(OAuthClientError) -> EndSessionPage {
        let tokens = try await tokenManager.signedInTokens()
        let metadata = try await client.currentMetadata()
        return EndSessionPage(
            endpoint: try client.urlPolicy.endpoint(metadata.endSessionEndpoint, "end_session_endpoint"),
            clientID: client.clientID,
            idToken: tokens.idToken
        )
    }

    private static func outcome<Value>(
        _ body: () async throws(OAuthClientError) -> Value
    ) async -> Result<Value, OAuthClientError> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
