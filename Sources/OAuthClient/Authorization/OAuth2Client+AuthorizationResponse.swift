// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

extension OAuth2Client {
    /// Checks an authorization response in the query or the fragment of a URL.
    ///
    /// See ``parseAuthorizationResponse(_:)-(AuthorizationCallback)`` for the checks.
    ///
    /// - Parameter callbackURL: The URL that the browser was redirected to.
    /// - Returns: The code with its sign-in, for ``exchangeAuthorizationCode(_:)``.
    /// - Throws: The codes of ``parseAuthorizationResponse(_:)-(AuthorizationCallback)``.
    public func parseAuthorizationResponse(
        _ callbackURL: String
    ) async throws(OAuthClientError) -> AuthorizationResponse {
        try await parseAuthorizationResponse(AuthorizationCallback(url: callbackURL))
    }

    /// Checks an authorization response that the browser posted as a form.
    ///
    /// - Parameters:
    ///   - body: The body of the POST, 16 KiB at most. The caller must check that its type is
    ///     `application/x-www-form-urlencoded`.
    ///   - redirectURI: The URL that the form was posted to.
    /// - Returns: The code with its sign-in, for ``exchangeAuthorizationCode(_:)``.
    /// - Throws: The codes of ``parseAuthorizationResponse(_:)-(AuthorizationCallback)``.
    ///
    /// ## Specification
    ///
    /// [Form Post Response Mode](https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html)
    public func parseAuthorizationResponse(
        formPost body: [UInt8],
        redirectURI: String
    ) async throws(OAuthClientError) -> AuthorizationResponse {
        try await parseAuthorizationResponse(AuthorizationCallback(url: redirectURI, formBody: body))
    }

    /// Checks an authorization response.
    ///
    /// 1. The URL is the redirect URI of the client. Another URL is for another part of the app, and the sign-in
    ///    continues.
    /// 2. A signed response is verified with the keys of this client's server before its claims are used. Plain
    ///    parameters in addition to it are rejected (JARM section 2.4). A response with an invalid signature ends no
    ///    sign-in.
    /// 3. `state` belongs to a waiting sign-in, which is removed from the store and cannot be used again.
    /// 4. No parameter is repeated, and the response came in the requested response mode, to exactly the redirect URI
    ///    of that sign-in.
    /// 5. `iss` is the issuer, also in an error response (RFC 9207 section 2.4).
    /// 6. Only then `error` or `code` is used.
    ///
    /// - Parameter callback: What the browser sent to the redirect URI.
    /// - Returns: The code with its sign-in, for ``exchangeAuthorizationCode(_:)``.
    /// - Throws: ``OAuthClientError/Code/unrelatedCallback``, ``OAuthClientError/Code/malformedCallback``,
    ///   ``OAuthClientError/Code/unknownState``, ``OAuthClientError/Code/callbackOfAnotherIssuer``,
    ///   ``OAuthClientError/Code/authorizationRejected``, ``OAuthClientError/Code/storageFailed``; for a signed
    ///   response also ``OAuthClientError/Code/signedResponseRejected``, ``OAuthClientError/Code/serverUnavailable``
    ///   when the keys of the server cannot be fetched, and those of ``fetchAuthorizationServerMetadata()``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2),
    /// [RFC 9207 §2.4](https://www.rfc-editor.org/rfc/rfc9207#section-2.4),
    /// [JARM §2.4](https://openid.net/specs/oauth-v2-jarm.html#section-2.4)
    public func parseAuthorizationResponse(
        _ callback: AuthorizationCallback
    ) async throws(OAuthClientError) -> AuthorizationResponse {
        // A link to another part of the app ends no sign-in.
        _ = try relatedURL(callback)
        return try await callback.concludingFailure { () async throws(OAuthClientError) in
            try await checkedResponse(callback)
        }
    }

    /// Checks an authorization response, and tells the user agent nothing.
    func checkedResponse(_ callback: AuthorizationCallback) async throws(OAuthClientError) -> AuthorizationResponse {
        let url = try relatedURL(callback)
        let received = try ReceivedParameters(callback, url)
        let token = try received.signedResponse()
        let parameters = if let token { try await signedParameters(token) } else { received.all }
        let transaction = try await takeTransaction(parameters)
        if let name = received.all.firstRepeatedName {
            // An unknown name can be anything: the error must not repeat it.
            let shown = ReceivedParameters.known.contains(name) ? "'\(name)'" : "a parameter"
            throw OAuthClientError(.malformedCallback, "\(shown) is repeated in the answer")
        }
        let mode = transaction.responseMode
        guard mode.carrier == received.carrier, mode.isSigned == (token != nil) else {
            throw OAuthClientError(.malformedCallback, "the answer is of a response mode that was not asked for")
        }
        try Self.checkAddress(url, received.carrier, transaction)
        try checkIssuer(parameters, transaction)
        return AuthorizationResponse(
            code: try Self.code(in: parameters),
            transaction: transaction,
            callback: callback
        )
    }

    /// The URL, if it is the redirect URI of the client.
    func relatedURL(_ callback: AuthorizationCallback) throws(OAuthClientError) -> URI {
        guard let url = try? URI(parsing: callback.url),
            let parsedRedirectURI, RedirectURIComparison.isSame(url, parsedRedirectURI, ignoringLoopbackPort: true)
        else {
            throw OAuthClientError(.unrelatedCallback, "the URL is not the redirect URI of this client")
        }
        return url
    }

    private static func checkAddress(
        _ url: URI,
        _ carrier: ResponseDelivery,
        _ transaction: SignInTransaction
    ) throws(OAuthClientError) {
        guard let sent = transaction.redirectURI.flatMap({ try? URI(parsing: $0) }),
            RedirectURIComparison.isSame(url, sent, ignoringLoopbackPort: false)
        else {
            throw OAuthClientError(.malformedCallback, "the answer came to a redirect URI other than the requested one")
        }
        // With a form or a fragment, a query is the redirect URI's own; otherwise there would be a response in two
        // locations.
        guard carrier == .query || (url.query ?? "").isIdentical(to: sent.query ?? "") else {
            throw OAuthClientError(.malformedCallback, "the answer has a query that the redirect URI does not have")
        }
    }

    private func takeTransaction(_ parameters: FormParameters) async throws(OAuthClientError) -> SignInTransaction {
        guard let state = try? parameters.value(for: "state") else {
            throw OAuthClientError(.malformedCallback, "'state' is missing from the answer, or repeated")
        }
        let transaction: SignInTransaction?
        do {
            transaction = try await transactionStore.take(state: state, now: clock.now())
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the sign-in cannot be read back")
        }
        guard let transaction else {
            throw OAuthClientError(
                .unknownState,
                "no sign-in waits for this answer: it is forged, too late, or was used already"
            )
        }
        guard transaction.account == account else {
            throw OAuthClientError(.callbackOfAnotherIssuer, "the sign-in was started with another server or client")
        }
        return transaction
    }

    /// Prevents mix-up attacks: the issuer must be checked before anything else is used (RFC 9700 section 4.4).
    private func checkIssuer(_ parameters: FormParameters, _ transaction: SignInTransaction) throws(OAuthClientError) {
        if let received = try? parameters.value(for: "iss") {
            guard received.isIdentical(to: issuer) else {
                throw OAuthClientError(.callbackOfAnotherIssuer, "'iss' of the answer is not the issuer that was asked")
            }
        } else if transaction.expectsIssuer {
            throw OAuthClientError(
                .callbackOfAnotherIssuer,
                "the answer has no 'iss' although the server says that it sends one"
            )
        }
    }

    private static func code(in parameters: FormParameters) throws(OAuthClientError) -> AuthorizationCode {
        if let error = try? OAuthErrorResponse(parsing: parameters) {
            throw OAuthClientError(.authorizationRejected, "the sign-in was refused: \(error.error)", answer: error)
        }
        guard let code = try? parameters.value(for: "code"), parameters.values(for: "error").isEmpty else {
            throw OAuthClientError(.malformedCallback, "the answer has neither 'code' nor a proper 'error'")
        }
        return AuthorizationCode(code)
    }
}
