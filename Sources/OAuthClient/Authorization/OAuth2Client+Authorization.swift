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
        let request = try newRequest(access, redirectURI: redirectURI, adding: options, metadata, context)
        let url = try await authorizationURL(request.parameters, metadata, context)
        return try await waiting(for: request.transaction, at: url, redirectURI: redirectURI)
    }

    /// Stores a sign-in that the browser takes up at a URL.
    func waiting(
        for transaction: SignInTransaction,
        at url: URI,
        redirectURI: String
    ) async throws(OAuthClientError) -> AuthorizationRequest {
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
    func checkedRedirectURI(_ text: String?) throws(OAuthClientError) -> String {
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
    static func requirePKCE(by metadata: AuthorizationServerMetadata) throws(OAuthClientError) {
        if let methods = metadata.codeChallengeMethodsSupported, !methods.contains("S256") {
            throw OAuthClientError(.unsupportedByServer, "the server does not support PKCE with S256")
        }
    }

    /// The URL for the browser, with the request or the reference of a pushed one.
    func authorizationURL(
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
