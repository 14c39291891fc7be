// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import StrictJSON

/// A sign-in that begins: what is sent, and what the client must remember.
struct NewAuthorizationRequest: Sendable, RedactedSecret {
    var transaction: SignInTransaction
    var parameters: FormParameters
}

extension OAuth2Client {
    /// Makes `state`, verifier and `nonce`, and the parameters of the request.
    ///
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/unsupportedByServer``.
    func newRequest(
        _ access: RequestedAccess,
        redirectURI: String?,
        adding options: AuthorizationOptions,
        _ metadata: AuthorizationServerMetadata,
        _ context: DPoPContext?
    ) throws(OAuthClientError) -> NewAuthorizationRequest {
        try requireSupport(of: options.responseMode, by: metadata)
        let isOpenID = access.scope.contains(Self.openIDScope)
        if isOpenID { try requireAcceptedSignatures(by: metadata) }
        try Self.requireIDToken(for: options, isOpenID: isOpenID)
        let transaction = try SignInTransaction(
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
        return NewAuthorizationRequest(transaction: transaction, parameters: parameters)
    }

    private func parameters(
        for transaction: SignInTransaction,
        _ access: RequestedAccess,
        adding options: AuthorizationOptions
    ) throws(OAuthClientError) -> FormParameters {
        let challenge = transaction.codeVerifier.s256Challenge
        var parameters: FormParameters = [
            "response_type": "code",
            "client_id": clientID,
            "state": transaction.state,
            "code_challenge": challenge.value,
            "code_challenge_method": challenge.method.rawValue,
        ]
        if let redirectURI = transaction.redirectURI { parameters.append("redirect_uri", redirectURI) }
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
        guard !isOpenID else { return }
        guard options.expectedSubject == nil else {
            throw OAuthClientError(
                .invalidArgument,
                "only the scope openid shows who signs in: request it for an account whose user is known"
            )
        }
        guard options.idTokenHint != nil || options.claims != nil else { return }
        throw OAuthClientError(.invalidArgument, "'claims' and 'id_token_hint' need the scope openid")
    }
}
