// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension OAuthSession {
    /// The URL of the page that ends the user's session at the server, for a browser; the session in the app does not
    /// change.
    ///
    /// Get it before ``signOut()``, which deletes the id_token; ``SignOutResult/endSessionURL`` is the same page without
    /// parameters of yours. The URL contains the id_token: it is for the browser
    /// only.
    ///
    /// - Parameters:
    ///   - postLogoutRedirectURI: The registered URI that the browser is redirected to afterwards; `nil` for none.
    ///   - state: The `state` that is passed back to that URI.
    /// - Returns: The URL.
    /// - Throws: ``OAuthClientError/Code/unsupportedByServer`` when the server has no such page,
    ///   ``OAuthClientError/Code/invalidArgument`` for a malformed redirect URI, ``OAuthClientError/Code/sessionEnded``
    ///   after ``signOut()``, and the codes of ``OAuth2Client/fetchAuthorizationServerMetadata()``.
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

    /// Signs out in the app and at the server: first like ``signOut()``, and then, even if that fails, in the user's
    /// browser at the page that ends the session at the server.
    ///
    /// With ``SystemBrowser``, the last page that the user sees says “Signed out”.
    ///
    /// - Parameters:
    ///   - userAgent: Shows the page, and receives the redirect back.
    ///   - postLogoutRedirectURI: The registered URI that the browser is redirected to afterwards. A loopback
    ///     address has its registered port: servers compare the URI exactly.
    /// - Throws: The first that applies: tokens that could not be deleted on this device
    ///   (``OAuthClientError/Code/storageFailed``), another ``SignOutResult/failure`` of ``signOut()``, the codes of
    ///   ``endSessionURL(postLogoutRedirectURI:state:)``, those of the user agent, and
    ///   ``OAuthClientError/Code/unrelatedCallback`` or ``OAuthClientError/Code/unknownState`` when the browser
    ///   returned in another way. The user is signed out on this device nevertheless. The browser shows the page even
    ///   if the network failed before.
    ///
    /// ## Specification
    ///
    /// [OpenID Connect RP-Initiated Logout §3](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RedirectionAfterLogout)
    public func signOut(
        using userAgent: some UserAgent,
        postLogoutRedirectURI: String
    ) async throws(OAuthClientError) {
        // Read before signing out, which deletes what the page needs.
        let page = await Self.outcome { () async throws(OAuthClientError) in try await self.endSessionPage() }
        let ending = await signOut()
        let visit = await Self.outcome { () async throws(OAuthClientError) in
            try await page.get().visit(with: userAgent, postLogoutRedirectURI, self.client)
        }
        if let failure = ending.failure { throw failure }
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

extension OAuth2Client {
    /// The page that ends the session of a user who has signed out; `nil` if nothing is known of it without a request.
    func endSessionURL(of tokens: TokenSet) async -> BrowserURL? {
        guard let idToken = tokens.idToken, let metadata = await context.metadata.known,
            let endpoint = try? urlPolicy.endpoint(metadata.endSessionEndpoint, "end_session_endpoint")
        else { return nil }
        let page = EndSessionPage(endpoint: endpoint, clientID: clientID, idToken: idToken)
        return (try? page.url(postLogoutRedirectURI: nil, state: nil)).map { BrowserURL($0) }
    }
}
