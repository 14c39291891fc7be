// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import StrictJSON

extension OAuth2Client {
    /// Starts a sign-in: makes verifier and `state`, stores them, and makes the URL for the browser.
    ///
    /// If the server supports it, the request is pushed first (RFC 9126), and the browser carries only its
    /// `request_uri`. With ``OAuth2ClientConfiguration/requestObjectSigning`` the request is signed (RFC 9101). PKCE
    /// with S256 is always used, even if the metadata does not mention it. The code is bound to the client's key with
    /// `dpop_jkt`, unless ``OAuth2ClientConfiguration/tokenBoundConfiguration`` says otherwise. With the scope `openid`
    /// the request has a `nonce`, which the id_token must contain.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - redirectURI: The client's redirect URI with the port of the listener; by default the client's own.
    ///   - options: What to request in addition to the scopes.
    /// - Returns: The URL for the browser, valid for ``OAuth2ClientConfiguration/transactionLifetime`` at most.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/unsupportedByServer``,
    ///   ``OAuthClientError/Code/signedRequestRequired``, ``OAuthClientError/Code/requestTooLong``,
    ///   ``OAuthClientError/Code/keyUnavailable``, ``OAuthClientError/Code/storageFailed``,
    ///   ``OAuthClientError/Code/tokenBindingRequired``, ``OAuthClientError/Code/serverRejected``, and those of
    ///   ``fetchAuthorizationServerMetadata()``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §4.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1),
    /// [RFC 7636 §4.3](https://www.rfc-editor.org/rfc/rfc7636#section-4.3),
    /// [RFC 9101 §5](https://www.rfc-editor.org/rfc/rfc9101#section-5),
    /// [RFC 9126 §2](https://www.rfc-editor.org/rfc/rfc9126#section-2),
    /// [RFC 9449 §10](https://www.rfc-editor.org/rfc/rfc9449#section-10)
    public func initiateAuthorization(
        scopes: [String],
        redirectURI: String? = nil,
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws(OAuthClientError) -> AuthorizationRequest {
        let access = try RequestedAccess(
            scope: Self.scope(scopes),
            resources: options.resources,
            authorizationDetails: options.authorizationDetails
        )
        let redirectURI = try checkedRedirectURI(redirectURI)
        let metadata = try await currentMetadata()
        try Self.requirePKCE(by: metadata)
        let context = try await contextForGrant(access)
        try requireSupport(of: options.responseMode, by: metadata)
        let isOpenID = access.scope.contains(Self.openIDScope)
        if isOpenID { try requireAcceptedSignatures(by: metadata) }
        try Self.requireIDToken(for: options, isOpenID: isOpenID)
        let transaction = try Transaction(
            state: Base64URL.encode(entropy.bytes(32)),
            codeVerifier: CodeVerifier(entropy: entropy),
            account: account,
            redirectURI: redirectURI,
            scope: access.scope,
            keyThumbprint: context?.thumbprint,
            expectsIssuer: metadata.authorizationResponseIssParameterSupported,
            expiresAt: clock.now() + configuration.transactionLifetime,
            resources: access.resources,
            authorizationDetails: access.authorizationDetails,
            responseMode: options.responseMode,
            nonce: isOpenID ? Base64URL.encode(entropy.bytes(32)) : nil,
            maxAge: options.maxAge,
            startedAt: clock.now(),
            requiredACRValues: options.claims?.requiredACRValues,
            requiredSubject: options.requiredSubject()
        )
        let parameters = try parameters(for: transaction, access, adding: options)
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
            expiresAt: transaction.expiresAt,
            responseMode: transaction.responseMode
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

    /// The redirect URI to send: the client's own, on loopback addresses possibly with another port.
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

    /// If the metadata does not list code challenge methods, S256 is tried; if it does, S256 must be listed.
    private static func requirePKCE(by metadata: AuthorizationServerMetadata) throws(OAuthClientError) {
        if let methods = metadata.codeChallengeMethodsSupported, !methods.contains("S256") {
            throw OAuthClientError(.unsupportedByServer, "the server does not support PKCE with S256")
        }
    }

    private func parameters(
        for transaction: Transaction,
        _ access: RequestedAccess,
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
        ]
        if let thumbprint = transaction.keyThumbprint { parameters.append("dpop_jkt", thumbprint.description) }
        access.append(to: &parameters)
        // `query` is the default for codes; some servers do not know the parameter.
        if transaction.responseMode != .query {
            parameters.append("response_mode", transaction.responseMode.rawValue)
        }
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
        "scope", "nonce", "resource", "authorization_details", "request", "request_uri", "response_mode",
    ]

    /// Options that are checked against an id_token need the scope `openid`.
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
        _ context: DPoPContext?
    ) async throws(OAuthClientError) -> URI {
        let endpoint = try urlPolicy.endpoint(metadata.authorizationEndpoint, "authorization_endpoint")
        let signing = try requestObjectSigning(for: metadata)
        guard metadata.pushedAuthorizationRequestEndpoint != nil || metadata.requirePushedAuthorizationRequests else {
            return try await urlForBrowser(endpoint, parameters, signedWith: signing, metadata)
        }
        let requestURI = try await pushAuthorizationRequest(parameters, signedWith: signing, context)
        return endpoint.appendingQuery(["client_id": clientID, "request_uri": requestURI])
    }

    /// RFC 9126 section 2.
    private func pushAuthorizationRequest(
        _ parameters: FormParameters,
        signedWith signing: RequestObjectSigning?,
        _ context: DPoPContext?
    ) async throws(OAuthClientError) -> String {
        let endpoint = try await address(of: .pushedAuthorizationRequest)
        let response = try await push(parameters, signedWith: signing, to: endpoint, context)
        guard response.status == 201 || response.status == 200 else {
            throw Self.refusal(by: "the server, asked for the sign-in,", response, context)
        }
        guard let requestURI = try? response.jsonObject()["request_uri"]?.stringValue, !requestURI.isEmpty else {
            throw OAuthClientError(
                .malformedResponse,
                "the answer to the pushed authorization request has no 'request_uri'"
            )
        }
        return requestURI
    }
}
