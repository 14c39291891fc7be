// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import OAuthSystem

/// Requests to the authorization challenge endpoint, and what becomes of their responses.
extension OAuth2Client {
    /// The endpoint, from the metadata of this issuer only.
    func challengeEndpoint() async throws(OAuthClientError) -> URI {
        _ = try await currentMetadata()
        do throws(OAuthClientError) {
            return try await address(of: .authorizationChallenge)
        } catch {
            guard error.code == .unsupportedByServer else { throw error }
            throw OAuthClientError(.firstPartyNotSupported, error.reason, underlying: error)
        }
    }

    /// The redirect URI of a first request, with which the browser could take over.
    ///
    /// A loopback address gets its port when a browser is opened, so it cannot be sent before.
    var redirectURIWithoutBrowser: String? {
        guard let parsedRedirectURI else { return nil }
        return parsedRedirectURI.isLoopbackIPLiteral && parsedRedirectURI.port == nil ? nil : redirectURI
    }

    /// The finished sign-in of the stored tokens, if it was with the same key and the server still knows it.
    func finishedSignIn(with context: DPoPContext) async throws(OAuthClientError) -> AuthSession? {
        guard let tokens = try await storedTokens(), !tokens.isEnded, tokens.keyThumbprint == context.thumbprint,
            let session = tokens.record.authSession
        else { return nil }
        return session.expiresAt.map { $0 <= clock.now() } ?? false ? nil : session
    }

    /// The key that a sign-in was begun with.
    ///
    /// - Throws: ``OAuthClientError/Code/signInExpired`` when there is another key by now, or none.
    func keyContext(of transaction: SignInTransaction) async throws(OAuthClientError) -> DPoPContext {
        guard let thumbprint = transaction.keyThumbprint,
            let context = try await keyring.contextOfSignIn(begunWith: thumbprint)
        else { throw Self.otherKey }
        return context
    }

    static var otherKey: OAuthClientError {
        OAuthClientError(.signInExpired, "the key is not the one that the sign-in was begun with; begin again")
    }

    /// Sends the first request (section 5.1), once more without the earlier sign-in if the server has forgotten that.
    func begin(
        _ request: NewAuthorizationRequest,
        after earlier: AuthSession?,
        at endpoint: URI,
        _ context: DPoPContext
    ) async throws(OAuthClientError) -> FirstPartyProgress {
        let signing = try requestObjectSigning(for: await currentMetadata())
        var attempt = RequestAttempt(.authorizationChallenge)
        let response = try await server.post(to: endpoint, provingWith: context, &attempt) {
            () async throws(OAuthClientError) in
            var form = try await form(request.parameters, signedWith: signing, lifetime: Self.lifetimeOfPushedRequest)
            if let earlier { form.append(FirstPartyParameter.authSession, earlier.value) }
            return form
        }
        let read = try ChallengeEndpointResponse(response, at: clock.now())
        if case .rejected(let error) = read.outcome {
            guard earlier != nil, error.answer?.error == .invalidSession else { throw error }
            return try await begin(request, after: nil, at: endpoint, context)
        }
        return try await progress(read, of: request, known: nil)
    }

    /// Sends an answer (section 5.3).
    func send(
        _ parameters: FormParameters,
        answering step: SignInStepType,
        _ state: FirstPartySignInState,
        _ turn: SignInTurn
    ) async throws(OAuthClientError) -> FirstPartyProgress {
        let response: HTTPResponse
        do throws(OAuthClientError) {
            let context = try await keyContext(of: state.transaction)
            let endpoint = try await challengeEndpoint()
            let form = Self.form(parameters, answering: step, state.authSession)
            var attempt = RequestAttempt(.authorizationChallenge)
            response = try await server.post(form, to: endpoint, provingWith: context, &attempt)
        } catch {
            guard error.mayHaveBeenProcessed else {
                turn.reopen()
                throw error
            }
            turn.close()
            throw OAuthClientError(
                .signInExpired,
                "the response to the answer was lost; it is not sent again, since the server may have taken it",
                underlying: error
            )
        }
        return try await progress(try read(response, turn), of: state.request, known: state.authSession)
    }

    private static func form(
        _ parameters: FormParameters,
        answering step: SignInStepType,
        _ authSession: AuthSession
    ) -> FormParameters {
        var form: FormParameters = [
            FirstPartyParameter.authSession: authSession.value, FirstPartyParameter.step: step.rawValue,
        ]
        for parameter in parameters.all { form.append(parameter.name, parameter.value) }
        return form
    }

    /// Reads the response to an answer.
    ///
    /// Its turn is over, unless the server did not take the answer.
    private func read(
        _ response: HTTPResponse,
        _ turn: SignInTurn
    ) throws(OAuthClientError) -> ChallengeEndpointResponse {
        let read: ChallengeEndpointResponse
        do throws(OAuthClientError) {
            read = try ChallengeEndpointResponse(response, at: clock.now())
        } catch {
            turn.close()
            throw error
        }
        guard case .rejected(let error) = read.outcome else {
            turn.close()
            return read
        }
        if Self.endsSignIn(error) { turn.close() } else { turn.reopen(with: read.authSession) }
        throw error
    }

    private static func endsSignIn(_ error: OAuthClientError) -> Bool {
        [.signInExpired, .authorizationRejected, .malformedResponse].contains(error.code)
    }

    /// What a response means for the sign-in.
    ///
    /// - Parameters:
    ///   - response: A response that is no rejection.
    ///   - request: The first request.
    ///   - known: The value that was sent: it stays the current one if the response has none.
    /// - Returns: What comes next.
    /// - Throws: ``OAuthClientError/Code/malformedResponse``, and the codes of ``exchangeAuthorizationCode(_:)``.
    private func progress(
        _ response: ChallengeEndpointResponse,
        of request: NewAuthorizationRequest,
        known: AuthSession?
    ) async throws(OAuthClientError) -> FirstPartyProgress {
        switch response.outcome {
        case .rejected(let error): throw error
        case .code(let code): return .finished(try await finish(request, with: code, response.authSession))
        case .redirectToWeb(let requestURI, let lifetime):
            var request = request
            let longest = clock.now() + configuration.transactionLifetime
            request.transaction.expiresAt = lifetime.map { min(clock.now() + $0, longest) } ?? longest
            return .redirectToWeb(WebContinuation(request, at: requestURI, of: self))
        case .steps(let steps, let problem):
            guard let authSession = response.authSession ?? known else {
                throw OAuthClientError(.malformedResponse, "the server asks for a step and sends no 'auth_session'")
            }
            let state = FirstPartySignInState(
                transaction: request.transaction,
                parameters: request.parameters,
                authSession: authSession,
                steps: steps,
                problem: problem,
                expiresAt: authSession.expiresAt ?? clock.now() + configuration.transactionLifetime
            )
            return .next(FirstPartySignIn(state, of: self))
        }
    }

    /// Exchanges the code with the same key (section 6), and stores the tokens.
    ///
    /// - Throws: ``OAuthClientError/Code/tokenTypeRejected`` for tokens that are not bound to the key, also where the
    ///   configuration accepts such tokens from the browser; they are revoked.
    private func finish(
        _ request: NewAuthorizationRequest,
        with code: AuthorizationCode,
        _ authSession: AuthSession?
    ) async throws(OAuthClientError) -> OAuthSession {
        let tokens = try await redeem(
            AuthorizationResponse(code: code, transaction: request.transaction, callback: nil)
        )
        guard tokens.tokenType == .dpop, tokens.keyThumbprint == request.transaction.keyThumbprint else {
            await discard(tokens)
            throw OAuthClientError(
                .tokenTypeRejected,
                "the server gave tokens that are not bound to the key of the sign-in; they were thrown away"
            )
        }
        return try await startSession(with: tokens.noting { $0.authSession = authSession })
    }
}

extension FirstPartySignInState {
    /// The first request.
    fileprivate var request: NewAuthorizationRequest {
        NewAuthorizationRequest(transaction: transaction, parameters: parameters)
    }
}
