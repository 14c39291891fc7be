// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

extension OAuth2Client {
    /// Exchanges a JWT of an issuer that the server trusts for tokens that are bound to the client's key.
    ///
    /// When the server demands a nonce, the same assertion is sent again. For a server that accepts an assertion only
    /// once and checks the nonce afterwards, set ``OAuth2ClientConfiguration/asksForNonceBeforeGrants``.
    ///
    /// - Parameters:
    ///   - assertion: The JWT, in compact serialization; its `aud` names the server.
    ///   - scopes: The scope tokens to request, one each.
    ///   - resources: The APIs that the tokens are for (RFC 8707).
    ///   - authorizationDetails: What to request in more detail than scopes can express (RFC 9396).
    ///   - additionalParameters: Further parameters of the token request.
    /// - Returns: The tokens, which are not stored.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for an empty assertion, or for a parameter that the client
    ///   sets itself; ``OAuthClientError/Code/unsupportedByServer``,
    ///   ``OAuthClientError/Code/clientCertificateMissing``, and the codes of ``exchangeAuthorizationCode(_:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 7523 §2.1](https://www.rfc-editor.org/rfc/rfc7523#section-2.1)
    public func exchangeJWTAssertion(
        _ assertion: String,
        scopes: [String] = [],
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = [],
        additionalParameters: FormParameters = [:]
    ) async throws(OAuthClientError) -> TokenSet {
        guard !assertion.isEmpty else { throw OAuthClientError(.invalidArgument, "the assertion is empty") }
        return try await requestTokens(
            grant: ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion],
            RequestedAccess(
                scope: Self.scope(scopes),
                resources: resources,
                authorizationDetails: authorizationDetails
            ),
            adding: additionalParameters
        )
    }
}
