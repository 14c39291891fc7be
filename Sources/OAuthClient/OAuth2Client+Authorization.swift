// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import PKCE

extension OAuth2Client {
    /// Starts a sign-in: makes verifier and `state`, keeps them, and makes the URL for the browser.
    ///
    /// The request is pushed to the server first when the server offers that (RFC 9126), so that the browser carries only a
    /// reference to it. PKCE with S256 is always used, also when the metadata does not speak of it, and the code is bound to
    /// the client's key with `dpop_jkt`. With the scope `openid` a `nonce` is made, which the id_token must carry.
    ///
    /// - Parameters:
    ///   - scopes: What to ask for, one scope token each.
    ///   - redirectURI: The client's redirect URI with the port that is listened on; the client's own unless given.
    ///   - options: What to ask for beyond the scopes.
    /// - Returns: The URL for the browser, valid for ``OAuth2ClientConfiguration/transactionLifetime`` at most.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/unsupportedByServer``,
    ///   ``OAuthClientError/Code/keyUnavailable``, ``OAuthClientError/Code/storageFailed``,
    ///   ``OAuthClientError/Code/serverRefused``, and those of ``fetchAuthorizationServerMetadata()``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §4.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1),
    /// [RFC 7636 §4.3](https://www.rfc-editor.org/rfc/rfc7636#section-4.3),
    /// [RFC 9126 §2](https://www.rfc-editor.org/rfc/rfc9126#section-2),
    /// [RFC 9449 §10](https://www.rfc-editor.org/rfc/rfc9449#section-10)
    public func initiateAuthorization(
        scopes: [String],
        redirectURI: String? = nil,
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws(OAuthClientError) -> AuthorizationRequest {
        let scope = try Self.scope(scopes)
        let redirectURI = try checkedRedirectURI(redirectURI)
        let metadata = try await currentMetadata()
        let context = try await keyring.context()
        try Self.requirePKCE(by: metadata)
        try Self.requireSupport(for: context, by: metadata)
        let isOpenID = scope.contains(Self.openIDScope)
        if isOpenID { try requireAcceptedSignatures(by: metadata) }
        try Self.requireIDToken(for: options, isOpenID: isOpenID)
        let transaction = try Transaction(
            state: Base64URL.encode(entropy.bytes(32)),
            codeVerifier: CodeVerifier(entropy: entropy),
            account: account,
            redirectURI: redirectURI,
            scope: scope,
            keyThumbprint: context.thumbprint,
            expectsIssuer: metadata.authorizationResponseIssParameterSupported,
            expiresAt: clock.now() + configuration.transactionLifetime,
            nonce: isOpenID ? Base64URL.encode(entropy.bytes(32)) : nil,
            maxAge: options.maxAge,
            startedAt: clock.now(),
            requiredACRValues: options.claims?.requiredACRValues,
            requiredSubject: options.requiredSubject()
        )
        let parameters = try parameters(for: transaction, adding: options)
        let url = try await authorizationURL(parameters, metadata, context)
        do {
            try await transactionStore.insert(transaction, now: clock.now())
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the sign-in cannot be stored")
        }
        return AuthorizationRequest(
            url: url.description,
            redirectURI: redirectURI,
            state: transaction.state,
            expiresAt: transaction.expiresAt
        )
    }

    static func scope(_ tokens: [String]) throws(OAuthClientError) -> Scope {
        do {
            return try Scope(tokens)
        } catch {
            throw OAuthClientError(.invalidArgument, error.reason, underlying: error)
        }
    }

    static var noRedirectURI: OAuthClientError {
        OAuthClientError(.invalidArgument, "the client was made without a redirect URI")
    }

    /// The redirect URI to send: the client's own, or on loopback addresses the same with another port.
    private func checkedRedirectURI(_ text: String?) throws(OAuthClientError) -> String {
        guard let redirectURI, let parsedRedirectURI else { throw Self.noRedirectURI }
        guard let text, !text.isIdentical(to: redirectURI) else { return redirectURI }
        guard let uri = try? URI(parsing: text), uri.fragment == nil,
            RedirectURIComparison.isSame(uri, parsedRedirectURI, ignoringLoopbackPort: true),
            uri.query == parsedRedirectURI.query
        else {
            throw OAuthClientError(
                .invalidArgument,
                "the redirect URI differs from that of the client in more than the port of a loopback address"
            )
        }
        return text
    }

    /// What metadata does not say is tried; what it says is believed.
    private static func requirePKCE(by metadata: AuthorizationServerMetadata) throws(OAuthClientError) {
        if let methods = metadata.codeChallengeMethodsSupported, !methods.contains("S256") {
            throw OAuthClientError(.unsupportedByServer, "the server does not support PKCE with S256")
        }
    }

    /// Checks that the server takes proofs of the key, as far as it says.
    static func requireSupport(
        for context: DPoPContext,
        by metadata: AuthorizationServerMetadata
    ) throws(OAuthClientError) {
        let algorithm = context.key.algorithm.rawValue
        if let algorithms = metadata.dpopSigningAlgValuesSupported, !algorithms.contains(algorithm) {
            throw OAuthClientError(.unsupportedByServer, "the server does not support DPoP proofs with \(algorithm)")
        }
    }

    private func parameters(
        for transaction: Transaction,
        adding options: AuthorizationOptions
    ) throws(OAuthClientError) -> FormParameters {
        let challenge = transaction.codeVerifier.s256Challenge
        var parameters: FormParameters = [
            "response_type": "code",
            "client_id": clientID,
            "redirect_uri": transaction.redirectURI,
            "state": transaction.state,
            "code_challenge": challenge.value,
            "code_challenge_method": challenge.method.rawValue,
            "dpop_jkt": transaction.keyThumbprint.description,
        ]
        if !transaction.scope.isEmpty { parameters.append("scope", transaction.scope.description) }
        if let nonce = transaction.nonce { parameters.append("nonce", nonce) }
        for parameter in try options.typedParameters().all { parameters.append(parameter.name, parameter.value) }
        for parameter in options.additionalParameters.all {
            guard !Self.ownParameters.contains(parameter.name) else {
                throw OAuthClientError(.invalidArgument, "'\(parameter.name)' is set by the client itself")
            }
            parameters.append(parameter.name, parameter.value)
        }
        return parameters
    }

    private static let ownParameters: Set<String> = [
        "response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "dpop_jkt",
        "scope", "nonce", "request", "request_uri", "response_mode",
    ]

    /// What an id_token is to be checked against needs one.
    private static func requireIDToken(
        for options: AuthorizationOptions,
        isOpenID: Bool
    ) throws(OAuthClientError) {
        guard !isOpenID, options.idTokenHint != nil || options.claims != nil else { return }
        throw OAuthClientError(.invalidArgument, "'claims' and 'id_token_hint' need the scope openid")
    }

    private func authorizationURL(
        _ parameters: FormParameters,
        _ metadata: AuthorizationServerMetadata,
        _ context: DPoPContext
    ) async throws(OAuthClientError) -> URI {
        let endpoint = try urlPolicy.endpoint(metadata.authorizationEndpoint, "authorization_endpoint")
        guard metadata.pushedAuthorizationRequestEndpoint != nil || metadata.requirePushedAuthorizationRequests else {
            return endpoint.appendingQuery(parameters)
        }
        let requestURI = try await pushAuthorizationRequest(parameters, context)
        return endpoint.appendingQuery(["client_id": clientID, "request_uri": requestURI])
    }

    /// RFC 9126 section 2.
    private func pushAuthorizationRequest(
        _ parameters: FormParameters,
        _ context: DPoPContext
    ) async throws(OAuthClientError) -> String {
        let endpoint = try await address(of: .pushedAuthorizationRequest)
        let response = try await server.post(parameters, to: endpoint, provingWith: context)
        guard response.status == 201 || response.status == 200 else {
            throw OAuthClientError(refusedBy: "the server, asked for the sign-in,", response)
        }
        guard let requestURI = try? response.jsonObject()["request_uri"]?.stringValue, !requestURI.isEmpty else {
            throw OAuthClientError(
                .malformedAnswer,
                "the answer to the pushed authorization request has no 'request_uri'"
            )
        }
        return requestURI
    }
}
