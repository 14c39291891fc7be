// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
public import OAuthSystem
import PKCE
import StrictJSON
import Synchronization

/// A sign-in that the browser takes over.
///
/// It works once, and is not printed.
///
/// The pages that are opened are those of the server's own metadata: no address comes from the answer that sent the user
/// to the browser, only the reference of the request (OAuth 2.0 for First-Party Applications sections 5.2.2.1.1 and 9.2). What
/// comes back has the client's own `state` and, where the server promised it, `iss` (RFC 9207 section 2.4).
///
/// ## Specification
///
/// [First-Party Applications §5.2.2.1.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-first-party-apps-04#section-5.2.2.1.1)
public struct WebContinuation: Sendable, RedactedSecret {
    private let client: OAuth2Client
    /// The first request.
    private let request: NewAuthorizationRequest
    /// The reference of the first request at the server; `nil` when the browser has to start again.
    private let requestURI: String?
    private let use = SingleUse()

    init(_ request: NewAuthorizationRequest, at requestURI: String?, of client: OAuth2Client) {
        self.client = client
        self.request = request
        self.requestURI = requestURI
    }

    /// Opens the pages, and finishes as ``OAuth2Client/signIn(scopes:using:options:)`` does.
    ///
    /// - Parameter userAgent: Shows the pages of the server to the user.
    /// - Returns: A session that sends requests with the tokens, which are stored.
    /// - Throws: The codes of ``OAuth2Client/signIn(scopes:using:options:)``, and
    ///   ``OAuthClientError/Code/signInExpired`` at the second use.
    public func signIn(using userAgent: some UserAgent) async throws(OAuthClientError) -> OAuthSession {
        guard let redirectURI = client.redirectURI else { throw OAuth2Client.noRedirectURI }
        let callback: AuthorizationCallback
        do {
            callback = try await userAgent.authorize(redirectURI: redirectURI) { redirectURI in
                try await authorizationRequest(redirectURI)
            }
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the user agent failed")
        }
        return try await client.resumeSignIn(callback)
    }

    /// The URL for the browser, for an app that may be stopped meanwhile.
    ///
    /// The sign-in is stored: ``OAuth2Client/resumeSignIn(_:)-(String)`` goes on with the response.
    ///
    /// - Returns: The URL.
    /// - Throws: The codes of ``OAuth2Client/initiateAuthorization(scopes:redirectURI:options:)``, and
    ///   ``OAuthClientError/Code/signInExpired`` at the second use.
    public func url() async throws(OAuthClientError) -> String {
        try await authorizationRequest(nil).url
    }

    private func authorizationRequest(_ redirectURI: String?) async throws(OAuthClientError) -> AuthorizationRequest {
        let redirectURI = try client.checkedRedirectURI(redirectURI)
        try use.take()
        if let requestURI, let sent = request.transaction.redirectURI, sent.isIdentical(to: redirectURI) {
            return try await client.authorizationRequest(for: request.transaction, at: requestURI, redirectURI)
        }
        return try await client.authorizationRequest(repeating: request, redirectURI)
    }
}

/// Lets one caller through.
private final class SingleUse: Sendable {
    private let isTaken = Mutex(false)

    func take() throws(OAuthClientError) {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return isTaken
        }
        guard !wasTaken else {
            throw OAuthClientError(.signInExpired, "the browser has taken over already; sign in again")
        }
    }
}

extension OAuth2Client {
    /// The request of the browser for a request that the server has stored.
    fileprivate func authorizationRequest(
        for transaction: SignInTransaction,
        at requestURI: String,
        _ redirectURI: String
    ) async throws(OAuthClientError) -> AuthorizationRequest {
        let metadata = try await currentMetadata()
        let endpoint = try urlPolicy.endpoint(metadata.authorizationEndpoint, "authorization_endpoint")
        let url = endpoint.appendingQuery(["client_id": clientID, "request_uri": requestURI])
        return try await waiting(for: transaction, at: url, redirectURI: redirectURI)
    }

    /// The request of the browser for the same sign-in, started again: with its own `state`, verifier and `nonce`.
    fileprivate func authorizationRequest(
        repeating request: NewAuthorizationRequest,
        _ redirectURI: String
    ) async throws(OAuthClientError) -> AuthorizationRequest {
        let metadata = try await currentMetadata()
        let context = try await keyContext(of: request.transaction)
        var renewed = request
        renewed.transaction.redirectURI = redirectURI
        renewed.transaction.state = Base64URL.encode(entropy.bytes(32))
        renewed.transaction.codeVerifier = CodeVerifier(entropy: entropy)
        renewed.transaction.nonce = request.transaction.nonce.map { _ in Base64URL.encode(entropy.bytes(32)) }
        renewed.transaction.startedAt = clock.now()
        renewed.transaction.expiresAt = clock.now() + configuration.transactionLifetime
        renewed.parameters = Self.parameters(request.parameters, of: renewed.transaction)
        let url = try await authorizationURL(renewed.parameters, metadata, context)
        return try await waiting(for: renewed.transaction, at: url, redirectURI: redirectURI)
    }

    /// The parameters of a request, with what a transaction decides in place of what they had.
    private static func parameters(_ old: FormParameters, of transaction: SignInTransaction) -> FormParameters {
        var new = [
            ("state", transaction.state), ("code_challenge", transaction.codeVerifier.s256Challenge.value),
        ]
        if let redirectURI = transaction.redirectURI { new.append(("redirect_uri", redirectURI)) }
        if let nonce = transaction.nonce { new.append(("nonce", nonce)) }
        let replaced = new.map(\.0)
        var parameters = FormParameters()
        for parameter in old.all where !replaced.contains(parameter.name) {
            parameters.append(parameter.name, parameter.value)
        }
        for (name, value) in new { parameters.append(name, value) }
        return parameters
    }
}
