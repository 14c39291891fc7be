// SPDX-License-Identifier: Apache-2.0

extension OAuth2Client {
    /// Signs a user in: discovery, key, pushed request, browser, checks, tokens, all in one call.
    ///
    /// - Parameters:
    ///   - scopes: What to ask for, one scope token each.
    ///   - userAgent: What shows the pages of the server to the user: `.systemBrowser`.
    ///   - options: What to ask for beyond the scopes.
    /// - Returns: A session that sends requests with the tokens; they are stored.
    /// - Throws: ``OAuthClientError``: ``OAuthClientError/Code/authorizationRejected`` when the user said no,
    ///   ``OAuthClientError/Code/timedOut``, ``OAuthClientError/Code/cancelled``, the codes of the user agent, and those of
    ///   the single steps.
    public func signIn(
        scopes: [String],
        using userAgent: some UserAgent,
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws(OAuthClientError) -> OAuthSession {
        guard let redirectURI else { throw Self.noRedirectURI }
        let callback: AuthorizationCallback
        do {
            callback = try await userAgent.authorize(redirectURI: redirectURI) { redirectURI in
                try await initiateAuthorization(
                    scopes: scopes,
                    redirectURI: redirectURI,
                    options: options
                )
            }
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the user agent failed")
        }
        return try await resumeSignIn(callback)
    }

    /// Finishes a sign-in whose answer has come in a URL, also in another process than the one that began it.
    ///
    /// The same as ``resumeSignIn(_:)-(AuthorizationCallback)``, which says what is needed.
    ///
    /// - Parameter callbackURL: The URL that the browser was sent to.
    /// - Returns: A session that sends requests with the tokens; they are stored.
    /// - Throws: The codes of ``resumeSignIn(_:)-(AuthorizationCallback)``.
    public func resumeSignIn(_ callbackURL: String) async throws(OAuthClientError) -> OAuthSession {
        try await resumeSignIn(AuthorizationCallback(url: callbackURL))
    }

    /// Finishes a sign-in whose answer has come, also in another process than the one that began it.
    ///
    /// The stores of that process must be at hand: a ``TransactionStore`` that outlives it, such as ``FileTransactionStore``,
    /// and the key that the sign-in was begun with. The metadata of the server is fetched before anything is used up, so that
    /// the same answer can be tried again when there is no network.
    ///
    /// - Parameter callback: What the browser brought to the redirect URI.
    /// - Returns: A session that sends requests with the tokens; they are stored.
    /// - Throws: The codes of ``fetchAuthorizationServerMetadata()``,
    ///   ``parseAuthorizationResponse(_:)-(AuthorizationCallback)``, ``exchangeAuthorizationCode(_:)`` and
    ///   ``startSession(with:)``.
    public func resumeSignIn(_ callback: AuthorizationCallback) async throws(OAuthClientError) -> OAuthSession {
        // Other links of the app cost no request.
        _ = try relatedURL(callback)
        _ = try await currentMetadata()
        let response = try await parseAuthorizationResponse(callback)
        return try await startSession(with: exchangeAuthorizationCode(response))
    }

    /// Stores tokens and makes a session of them.
    ///
    /// - Parameter tokens: The tokens of ``exchangeAuthorizationCode(_:)``.
    /// - Returns: The session.
    /// - Throws: ``OAuthClientError/Code/storageFailed``; the server was then asked to revoke them, as nobody could find
    ///   them again.
    public func startSession(with tokens: TokenSet) async throws(OAuthClientError) -> OAuthSession {
        try await save(tokens)
        return OAuthSession(client: self, tokens: tokens)
    }

    /// Makes a session of the tokens that are stored: the user signed in earlier.
    ///
    /// - Returns: The session; `nil` when the account is not signed in.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func restoreSession() async throws(OAuthClientError) -> OAuthSession? {
        do {
            guard let tokens = try await tokenStore.tokens(of: account) else { return nil }
            return OAuthSession(client: self, tokens: tokens)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be read")
        }
    }

    /// Stores tokens, with a second try; tokens that cannot be stored are revoked, not left behind.
    func save(_ tokens: TokenSet) async throws(OAuthClientError) {
        do {
            do {
                try await tokenStore.save(tokens, of: account)
            } catch {
                try await tokenStore.save(tokens, of: account)
            }
        } catch {
            // Best effort: a server that cannot be told lets them expire.
            if let refreshToken = tokens.refreshToken { try? await revoke(refreshToken) }
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be stored; sign in again")
        }
    }
}
