// SPDX-License-Identifier: Apache-2.0

extension OAuth2Client {
    /// Signs a user in: discovery, key, pushed request, browser, checks, tokens, all in one call.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - userAgent: Shows the pages of the server to the user, for example `.systemBrowser`.
    ///   - options: What to request in addition to the scopes.
    /// - Returns: A session that sends requests with the tokens, which are stored.
    /// - Throws: ``OAuthClientError``: ``OAuthClientError/Code/authorizationRejected`` when the user denied the
    ///   request, ``OAuthClientError/Code/timedOut``, ``OAuthClientError/Code/cancelled``, the codes of the user agent,
    ///   and those of the individual steps.
    public func signIn(
        scopes: [String],
        using userAgent: some UserAgent,
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws(OAuthClientError) -> OAuthSession {
        try await resumeSignIn(callback(scopes: scopes, using: userAgent, options: options))
    }

    /// Takes the user through the pages of the server.
    ///
    /// `whenRequested` is called when the request is made, and pushed if need be: just before the pages are shown.
    func callback(
        scopes: [String],
        using userAgent: any UserAgent,
        options: AuthorizationOptions,
        whenRequested: @Sendable () -> Void = {}
    ) async throws(OAuthClientError) -> AuthorizationCallback {
        guard let redirectURI else { throw Self.noRedirectURI }
        do {
            return try await userAgent.authorize(redirectURI: redirectURI) { redirectURI in
                let request = try await initiateAuthorization(
                    scopes: scopes,
                    redirectURI: redirectURI,
                    options: options
                )
                whenRequested()
                return request
            }
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the user agent failed")
        }
    }

    /// Finishes a sign-in with a response in a URL; another process may have started the sign-in.
    ///
    /// See ``resumeSignIn(_:)-(AuthorizationCallback)`` for the requirements.
    ///
    /// - Parameter callbackURL: The URL that the browser was redirected to.
    /// - Returns: A session that sends requests with the tokens, which are stored.
    /// - Throws: The codes of ``resumeSignIn(_:)-(AuthorizationCallback)``.
    public func resumeSignIn(_ callbackURL: String) async throws(OAuthClientError) -> OAuthSession {
        try await resumeSignIn(AuthorizationCallback(url: callbackURL))
    }

    /// Finishes a sign-in with its response; another process may have started the sign-in.
    ///
    /// The stores of that process must be available: a ``TransactionStore`` that outlives it, such as
    /// ``FileTransactionStore``, and the key that the sign-in was started with. The metadata of the server is fetched
    /// before anything is consumed, so that the same response can be tried again when there is no network.
    ///
    /// - Parameter callback: What the browser sent to the redirect URI.
    /// - Returns: A session that sends requests with the tokens, which are stored.
    /// - Throws: The codes of ``fetchAuthorizationServerMetadata()``,
    ///   ``parseAuthorizationResponse(_:)-(AuthorizationCallback)``, ``exchangeAuthorizationCode(_:)`` and
    ///   ``startSession(with:)``.
    public func resumeSignIn(_ callback: AuthorizationCallback) async throws(OAuthClientError) -> OAuthSession {
        // Other links of the app must not cause a request.
        _ = try relatedURL(callback)
        _ = try await callback.concludingFailure { () async throws(OAuthClientError) in try await currentMetadata() }
        // Once the response is taken, a caller that gives up must not leave valid tokens behind: they are stored, and the
        // next start has the session.
        return try await Uncancelled.run { () async throws(OAuthClientError) in
            try await callback.concluding { () async throws(OAuthClientError) in
                try await startSession(with: redeem(checkedResponse(callback)))
            }
        }
    }

    /// Stores tokens and starts a session with them.
    ///
    /// - Parameter tokens: The tokens of ``exchangeAuthorizationCode(_:)``.
    /// - Returns: The session.
    /// - Throws: ``OAuthClientError/Code/storageFailed``; ``OAuthClientError/Code/keyMissing`` if the key of the tokens was
    ///   deleted, as by a sign-out that ran at the same time. The client has then asked the server to revoke the tokens,
    ///   which would be lost or of no use.
    public func startSession(with tokens: TokenSet) async throws(OAuthClientError) -> OAuthSession {
        let named = tokens.noting { if $0.session == nil { $0 = .named(by: entropy) } }
        return try await Uncancelled.run { () async throws(OAuthClientError) in
            try await save(named)
            return OAuthSession(client: self, tokens: named)
        }
    }

    /// Restores the session of a user who signed in earlier, from the stored tokens.
    ///
    /// If the user signed out and the process ended before the server was told, this call deletes the key, and tells the
    /// server in the background.
    ///
    /// Tokens whose key is gone are of no use. Then there is no session, and ``SessionEvent/keyLost`` is sent. The tokens
    /// stay stored until the next sign-in, in case the key comes back, as with a directory that was not mounted.
    ///
    /// - Parameter checkingKey: Whether to ask the key store if it still has the key. It lists the names of its keys and
    ///   opens none; pass `false` for a store that asks a person even for that.
    /// - Returns: The session; `nil` when the account is not signed in, or its key is gone.
    /// - Throws: ``OAuthClientError/Code/storageFailed``.
    public func restoreSession(checkingKey: Bool = true) async throws(OAuthClientError) -> OAuthSession? {
        guard let tokens = try await storedTokens() else { return nil }
        guard !tokens.isEnded else {
            await SessionTermination(client: self, tokens: tokens).resume()
            return nil
        }
        server.clock.adopt(tokens.record.clock)
        // An older version did not remember it.
        try await noteBinding(of: tokens)
        if checkingKey, await keyring.isGone(tokens.keyThumbprint) { return nil }
        return OAuthSession(client: self, tokens: tokens)
    }
}
