// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
public import OAuthCore
import OAuthSystem
import PKCE

extension OAuth2Client {
    /// Exchanges the code for tokens, bound to the client's key unless
    /// ``OAuth2ClientConfiguration/tokenBoundConfiguration`` says otherwise.
    ///
    /// The tokens are not stored yet: ``startSession(with:)`` does that. An id_token is required if the scope `openid`
    /// was granted, or if the sign-in requested something that only an id_token can prove (`max_age`, an essential
    /// `acr`, a particular user). It is validated by every rule of OpenID Connect Core section 3.1.3.7. If it is
    /// missing or invalid, the tokens are discarded, and revoked if possible.
    ///
    /// - Parameter response: The checked authorization response.
    /// - Returns: The tokens.
    /// - Throws: ``OAuthClientError/Code/serverRejected``, ``OAuthClientError/Code/serverUnavailable``,
    ///   ``OAuthClientError/Code/tokenTypeRejected``, ``OAuthClientError/Code/boundTokensNotAskedFor``,
    ///   ``OAuthClientError/Code/tokenBindingRequired``, ``OAuthClientError/Code/malformedResponse``,
    ///   ``OAuthClientError/Code/idTokenRejected``, ``OAuthClientError/Code/anotherUser``, ``OAuthClientError/Code/keyMissing``,
    ///   ``OAuthClientError/Code/keyMismatch``, ``OAuthClientError/Code/keyUnavailable``,
    ///   ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3),
    /// [RFC 9449 §5](https://www.rfc-editor.org/rfc/rfc9449#section-5),
    /// [OpenID Connect Core §3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
    public func exchangeAuthorizationCode(
        _ response: AuthorizationResponse
    ) async throws(OAuthClientError) -> TokenSet {
        try await exchangeAuthorizationCode(response, resources: response.transaction.resources)
    }

    /// Exchanges the code for tokens whose access token is for only a part of what the sign-in requested.
    ///
    /// The refresh token is for all of it: ``refreshAccessToken(_:resources:authorizationDetails:)`` gets access tokens
    /// for the rest.
    ///
    /// - Parameters:
    ///   - response: The checked authorization response.
    ///   - resources: The resources that the access token is for. If the sign-in requested resources, each must be one
    ///     of them.
    ///   - authorizationDetails: What the access token allows; by default all that the sign-in requested.
    /// - Returns: The tokens.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a resource that the sign-in did not request, and the
    ///   codes of ``exchangeAuthorizationCode(_:)``. If the server issues no tokens for a resource,
    ///   ``OAuthClientError/answer`` has `invalid_target`.
    ///
    /// ## Specification
    ///
    /// [RFC 8707 §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2),
    /// [RFC 9396 §6](https://www.rfc-editor.org/rfc/rfc9396#section-6)
    public func exchangeAuthorizationCode(
        _ response: AuthorizationResponse,
        resources: [String],
        authorizationDetails: [AuthorizationDetail]? = nil
    ) async throws(OAuthClientError) -> TokenSet {
        let work = { () async throws(OAuthClientError) in
            try await redeem(response, resources: resources, authorizationDetails: authorizationDetails)
        }
        guard let callback = response.callback else { return try await work() }
        return try await callback.concluding(work)
    }

    /// Exchanges the code, and tells the user agent nothing.
    func redeem(
        _ response: AuthorizationResponse,
        resources: [String]? = nil,
        authorizationDetails: [AuthorizationDetail]? = nil
    ) async throws(OAuthClientError) -> TokenSet {
        let transaction = response.transaction
        let resources = resources ?? transaction.resources
        try transaction.requireAsked(for: resources)
        // The details of the authorization request apply, unless fewer are named here (RFC 9396 section 6).
        var access = try RequestedAccess(
            scope: transaction.scope,
            resources: resources,
            authorizationDetails: authorizationDetails ?? []
        )
        access.expectsDetails = access.expectsDetails || !transaction.authorizationDetails.isEmpty
        let context = try await keyring.context(boundTo: transaction.keyThumbprint)
        var form: FormParameters = [
            "grant_type": "authorization_code",
            "code": response.code.value,
        ]
        // Identical, byte for byte, to that of the authorization request, which may have had none (section 4.1.3).
        if let redirectURI = transaction.redirectURI { form.append("redirect_uri", redirectURI) }
        form.append("code_verifier", transaction.codeVerifier.text)
        access.appendTarget(to: &form)
        let (request, requested) = (form, access)
        // The code is used from here on: if the caller gives up, these tokens would otherwise never be revoked.
        return try await Uncancelled.run(abandoned: discard) { () async throws(OAuthClientError) in
            let answer = try await requestTokens(request, provingWith: context)
            let tokens = try await tokenSet(answer, requested: requested, context)
            return try await identified(tokens, by: answer, for: response)
        }
    }

    /// Exchanges the refresh token for new tokens.
    ///
    /// The tokens are not stored. A session refreshes its tokens itself, once for all waiting callers; call this only
    /// without a session. A newer id_token must be of the same sign-in (OpenID Connect Core section 12.2). If there is
    /// none, the old one is kept.
    ///
    /// - Parameter tokens: Tokens with a refresh token.
    /// - Returns: The new tokens; with the old refresh token when the server sent none.
    /// - Throws: ``OAuthClientError/Code/sessionEnded`` without a refresh token, and the codes of
    ///   ``exchangeAuthorizationCode(_:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)
    public func refreshAccessToken(_ tokens: TokenSet) async throws(OAuthClientError) -> TokenSet {
        try await refreshAccessToken(tokens, resources: tokens.resources)
    }

    /// Exchanges the refresh token for an access token for other resources, or for only a part of what was granted.
    ///
    /// The tokens are not stored. The server may replace the refresh token: keep that of the response. With a session
    /// use ``TokenManager/fetch(resources:replacing:)``, which does.
    ///
    /// - Parameters:
    ///   - tokens: Tokens with a refresh token.
    ///   - resources: The resources that the access token is for; if empty, the server decides.
    ///   - authorizationDetails: What the access token allows; by default all that was granted.
    /// - Returns: The new tokens; with the old refresh token when the server sent none.
    /// - Throws: The codes of ``refreshAccessToken(_:)``, and ``OAuthClientError/Code/invalidArgument``.
    ///
    /// ## Specification
    ///
    /// [RFC 8707 §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2),
    /// [RFC 9396 §6](https://www.rfc-editor.org/rfc/rfc9396#section-6)
    public func refreshAccessToken(
        _ tokens: TokenSet,
        resources: [String],
        authorizationDetails: [AuthorizationDetail]? = nil
    ) async throws(OAuthClientError) -> TokenSet {
        let request = try await refreshRequest(tokens, resources: resources, authorizationDetails: authorizationDetails)
        return try await Uncancelled.run(abandoned: discard) { () async throws(OAuthClientError) in
            let response = try await send(request)
            guard (200..<300).contains(response.status) else { throw refusal(response, to: request) }
            do throws(OAuthClientError) {
                return try await read(response, to: request)
            } catch {
                await discard(ReceivedTokens(response), insteadOf: tokens.refreshToken)
                throw error
            }
        }
    }

    /// Revokes a refresh token at the server, which ends its access tokens too.
    ///
    /// - Parameter token: The refresh token. A token that the server does not know is not an error.
    /// - Throws: ``OAuthClientError/Code/unsupportedByServer`` without a revocation endpoint,
    ///   ``OAuthClientError/Code/serverRejected``, ``OAuthClientError/Code/serverUnavailable``,
    ///   ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    ///
    /// ## Specification
    ///
    /// [RFC 7009 §2.1](https://www.rfc-editor.org/rfc/rfc7009#section-2.1)
    public func revoke(_ token: RefreshToken) async throws(OAuthClientError) {
        try await revoke(token.value, hint: "refresh_token", provingWith: contextForRevocation())
    }

    /// Revokes an access token at the server.
    ///
    /// - Parameter token: The access token. A token that the server does not know is not an error.
    /// - Throws: The codes of ``revoke(_:)-(RefreshToken)``.
    public func revoke(_ token: AccessToken) async throws(OAuthClientError) {
        try await revoke(token.value, hint: "access_token", provingWith: contextForRevocation())
    }

    /// Revokes the refresh token, which ends its access tokens too; without a refresh token, the access token.
    ///
    /// An attested client proves the key that they are bound to; once that is gone, nothing can use or revoke them.
    func revoke(_ tokens: TokenSet) async throws(OAuthClientError) {
        let isAttested = configuration.clientAuthentication.isAttested
        let context = isAttested ? try await keyring.context(boundTo: tokens.keyThumbprint) : nil
        if let refreshToken = tokens.refreshToken {
            try await revoke(refreshToken.value, hint: "refresh_token", provingWith: context)
        } else {
            try await revoke(tokens.accessToken.value, hint: "access_token", provingWith: context)
        }
    }

    /// An attested client proves its key here too.
    private func contextForRevocation() async throws(OAuthClientError) -> DPoPContext? {
        configuration.clientAuthentication.isAttested ? try await keyring.context() : nil
    }

    private func revoke(
        _ token: String,
        hint: String,
        provingWith context: DPoPContext?
    ) async throws(OAuthClientError) {
        let endpoint = try await address(of: .revocation)
        let form: FormParameters = ["token": token, "token_type_hint": hint]
        var attempt = RequestAttempt(.revocation)
        let response = try await repeater.run(.harmless, &attempt) { attempt throws(OAuthClientError) in
            try await server.post(form, to: endpoint, provingWith: context, &attempt)
        }
        guard (200..<300).contains(response.status) else {
            throw OAuthClientError(rejectedBy: "the server, told to revoke a token,", response)
        }
    }
}
