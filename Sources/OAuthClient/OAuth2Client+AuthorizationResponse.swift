// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

extension OAuth2Client {
    /// Checks the answer that came back through the browser.
    ///
    /// 1. The URL is the redirect URI of the client; else it is somebody else's and the sign-in goes on.
    /// 2. `state` belongs to a sign-in that waits; that one is taken and cannot be used again.
    /// 3. No parameter is repeated, and the URL is exactly the redirect URI of that sign-in.
    /// 4. `iss` is the issuer, also in an error (RFC 9207 section 2.4).
    /// 5. Only now `error` or `code` is believed.
    ///
    /// - Parameter callbackURL: The URL that the browser was sent to.
    /// - Returns: The code with the sign-in it belongs to, for ``exchangeAuthorizationCode(_:)``.
    /// - Throws: ``OAuthClientError/Code/unrelatedCallback``, ``OAuthClientError/Code/malformedCallback``,
    ///   ``OAuthClientError/Code/unknownState``, ``OAuthClientError/Code/callbackOfAnotherIssuer``,
    ///   ``OAuthClientError/Code/authorizationRefused``, ``OAuthClientError/Code/storageFailed``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2),
    /// [RFC 9207 §2.4](https://www.rfc-editor.org/rfc/rfc9207#section-2.4)
    public func parseAuthorizationResponse(
        _ callbackURL: String
    ) async throws(OAuthClientError) -> AuthorizationResponse {
        let url = try relatedURL(callbackURL)
        let parameters = try Self.parameters(of: url)
        let transaction = try await takeTransaction(parameters)
        if let name = parameters.firstRepeatedName {
            // A name that is not known may be anything: it is not repeated to whoever reads the error.
            let shown = Self.knownParameters.contains(name) ? "'\(name)'" : "a parameter"
            throw OAuthClientError(.malformedCallback, "\(shown) is repeated in the answer")
        }
        guard let sent = try? URI(parsing: transaction.redirectURI),
            RedirectURIComparison.isSame(url, sent, ignoringLoopbackPort: false)
        else {
            throw OAuthClientError(.malformedCallback, "the answer came to another redirect URI than it was asked for")
        }
        try checkIssuer(parameters, transaction)
        return try Self.response(parameters, transaction)
    }

    /// The URL, if it is the redirect URI of the client.
    func relatedURL(_ callbackURL: String) throws(OAuthClientError) -> URI {
        guard let url = try? URI(parsing: callbackURL),
            let parsedRedirectURI, RedirectURIComparison.isSame(url, parsedRedirectURI, ignoringLoopbackPort: true)
        else {
            throw OAuthClientError(.unrelatedCallback, "the URL is not the redirect URI of this client")
        }
        return url
    }

    private static let knownParameters: Set<String> = [
        "state", "code", "iss", "error", "error_description", "error_uri",
    ]

    private static func parameters(of url: URI) throws(OAuthClientError) -> FormParameters {
        guard let parameters = try? FormParameters(decoding: url.query ?? "") else {
            throw OAuthClientError(.malformedCallback, "the query of the answer is not form-encoded")
        }
        // JWT-secured responses were not asked for; where one comes, the plain parameters do not count.
        guard parameters.values(for: "response").isEmpty else {
            throw OAuthClientError(.malformedCallback, "the answer is of a response mode that was not asked for")
        }
        return parameters
    }

    private func takeTransaction(_ parameters: FormParameters) async throws(OAuthClientError) -> Transaction {
        guard let state = try? parameters.value(for: "state") else {
            throw OAuthClientError(.malformedCallback, "'state' is missing from the answer, or repeated")
        }
        let transaction: Transaction?
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

    /// Defence against mix-up: which server answers must be known before anything else is believed (RFC 9700 section 4.4).
    private func checkIssuer(_ parameters: FormParameters, _ transaction: Transaction) throws(OAuthClientError) {
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

    private static func response(
        _ parameters: FormParameters,
        _ transaction: Transaction
    ) throws(OAuthClientError) -> AuthorizationResponse {
        if let error = try? OAuthErrorResponse(parsing: parameters) {
            throw OAuthClientError(.authorizationRefused, "the sign-in was refused: \(error.error)", answer: error)
        }
        guard let code = try? parameters.value(for: "code"), parameters.values(for: "error").isEmpty else {
            throw OAuthClientError(.malformedCallback, "the answer has neither 'code' nor a proper 'error'")
        }
        return AuthorizationResponse(code: AuthorizationCode(code), transaction: transaction)
    }
}
