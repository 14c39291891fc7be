// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

extension OAuth2Client {
    /// Begins a sign-in without a browser, in which the app asks the user itself.
    ///
    /// The request has PKCE, a proof of the client's key, and the attestation of the client, if it authenticates with one.
    /// If an earlier sign-in of this key does for the request, there is a session at once. Tokens are always bound to the
    /// key.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - loginHint: `login_hint`: the user who will sign in; in place of that of the options.
    ///   - options: What to request in addition to the scopes; those of a ``StepUpChallenge`` when an API asked for more.
    /// - Returns: The first step, or what came of the sign-in already.
    /// - Throws: ``OAuthClientError``: ``OAuthClientError/Code/firstPartyNotSupported``,
    ///   ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``,
    ///   ``OAuthClientError/Code/keyUnavailable``, ``OAuthClientError/Code/storageFailed``,
    ///   ``OAuthClientError/Code/authorizationRejected``, ``OAuthClientError/Code/tooManyAttempts``,
    ///   ``OAuthClientError/Code/serverUnavailable``, ``OAuthClientError/Code/serverRejected``,
    ///   ``OAuthClientError/Code/malformedResponse``, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/attestationFailed``, ``OAuthClientError/Code/attestationRefused``,
    ///   ``OAuthClientError/Code/cancelled``; those of ``fetchAuthorizationServerMetadata()``; and, when the sign-in is
    ///   finished, of ``exchangeAuthorizationCode(_:)`` and ``startSession(with:)``.
    ///
    /// ## Specification
    ///
    /// [First-Party Applications §5.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-first-party-apps-04#section-5.1)
    public func startFirstPartySignIn(
        scopes: [String],
        loginHint: String? = nil,
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws(OAuthClientError) -> FirstPartyProgress {
        var options = options
        options.loginHint = loginHint ?? options.loginHint
        let access = try RequestedAccess(
            scope: Self.scope(scopes),
            resources: options.resources,
            authorizationDetails: options.authorizationDetails
        )
        let metadata = try await currentMetadata()
        try Self.requirePKCE(by: metadata)
        let endpoint = try await challengeEndpoint()
        guard let context = try await contextForGrant(access) else { throw Self.unbound }
        let request = try newRequest(
            access,
            redirectURI: redirectURIWithoutBrowser,
            adding: options,
            metadata,
            context
        )
        let earlier = try await finishedSignIn(with: context)
        // Once there is a code, a caller that gives up must not leave valid tokens behind.
        return try await Uncancelled.run { () async throws(OAuthClientError) in
            try await begin(request, after: earlier, at: endpoint, context)
        }
    }

    /// Goes on where the app was stopped, without a request.
    ///
    /// - Parameter state: The ``FirstPartySignIn/state`` that the app kept.
    /// - Returns: The sign-in at the same step.
    /// - Throws: ``OAuthClientError/Code/signInExpired`` when it is too old, or the key is another one by now;
    ///   ``OAuthClientError/Code/invalidArgument`` for the sign-in of another server, client or account;
    ///   ``OAuthClientError/Code/keyUnavailable``.
    public func resumeFirstPartySignIn(
        _ state: FirstPartySignInState
    ) async throws(OAuthClientError) -> FirstPartySignIn {
        guard state.transaction.account == account else {
            throw OAuthClientError(.invalidArgument, "the sign-in was begun with another server, client or account")
        }
        guard state.expiresAt > clock.now() else {
            throw OAuthClientError(.signInExpired, "the sign-in took too long; begin again")
        }
        _ = try await keyContext(of: state.transaction)
        return FirstPartySignIn(state, of: self)
    }

    /// Signs a user in without a browser, as far as the server lets it: asks for each step, and opens the browser where the
    /// server wants it.
    ///
    /// A server that signs in with the browser only is opened in the browser at once. Nothing else leads there by itself: a
    /// sign-in that expired, or that was rejected, is an error.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - prompter: Asks the user.
    ///   - userAgent: Shows the pages of the server to the user; `nil` where there is no browser.
    ///   - options: What to request in addition to the scopes.
    /// - Returns: A session that sends requests with the tokens, which are stored.
    /// - Throws: ``OAuthClientError``: ``OAuthClientError/Code/cancelled`` when the user gave up,
    ///   ``OAuthClientError/Code/browserNeeded`` without a user agent, and the codes of
    ///   ``startFirstPartySignIn(scopes:loginHint:options:)``, ``FirstPartySignIn/answer(_:)`` and
    ///   ``signIn(scopes:using:options:)``.
    public func signIn(
        scopes: [String],
        asking prompter: some SignInPrompter,
        fallback userAgent: (any UserAgent)?,
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws(OAuthClientError) -> OAuthSession {
        var progress: FirstPartyProgress
        do throws(OAuthClientError) {
            progress = try await startFirstPartySignIn(scopes: scopes, options: options)
        } catch {
            guard error.code == .firstPartyNotSupported, let userAgent else { throw error }
            return try await resumeSignIn(callback(scopes: scopes, using: userAgent, options: options))
        }
        while true {
            switch progress {
            case .finished(let session): return session
            case .redirectToWeb(let continuation):
                guard let userAgent else { throw Self.browserNeeded }
                return try await continuation.signIn(using: userAgent)
            case .next(let signIn):
                let answer = try await Self.answer(to: signIn, from: prompter)
                if case .redirectToWeb = answer, userAgent == nil { throw Self.browserNeeded }
                progress = try await signIn.answer(answer)
            }
        }
    }

    private static func answer(
        to signIn: FirstPartySignIn,
        from prompter: some SignInPrompter
    ) async throws(OAuthClientError) -> StepAnswer {
        // There is nothing to ask.
        if signIn.steps == [.redirectToWeb] { return .redirectToWeb }
        let answer: StepAnswer?
        do {
            answer = try await prompter.answer(signIn.steps, problem: signIn.problem)
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the prompter failed")
        }
        guard let answer else {
            signIn.cancel()
            throw OAuthClientError(.cancelled, "the user gave up the sign-in")
        }
        return answer
    }

    private static var browserNeeded: OAuthClientError {
        OAuthClientError(.browserNeeded, "the sign-in has to go on in the browser, and there is no user agent")
    }

    private static var unbound: OAuthClientError {
        OAuthClientError(
            .invalidArgument,
            "a sign-in without a browser is bound to a key, and this client uses none; see BoundedTokenConfiguration"
        )
    }
}
