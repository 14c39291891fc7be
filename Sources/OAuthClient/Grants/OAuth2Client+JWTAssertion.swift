// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

extension OAuth2Client {
    /// Trades a JWT, which somebody issued whom the server trusts, for tokens that are bound to the client's key.
    ///
    /// When the server demands a nonce, the assertion is sent again as it is. For a server that takes an assertion once
    /// only and looks at the nonce later, set ``OAuth2ClientConfiguration/asksForNonceBeforeGrants``.
    ///
    /// - Parameters:
    ///   - assertion: The JWT, in compact serialization; its `aud` names the server.
    ///   - scopes: What to ask for, one scope token each.
    ///   - resources: What the tokens are to be used at (RFC 8707).
    ///   - authorizationDetails: What to ask for in more words than a scope has (RFC 9396).
    ///   - additionalParameters: Further parameters, for which there is no name here.
    /// - Returns: The tokens, not stored.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for an empty assertion, or for a parameter that the client sets
    ///   itself; ``OAuthClientError/Code/unsupportedByServer``, ``OAuthClientError/Code/clientCertificateMissing``, and
    ///   the codes of ``exchangeAuthorizationCode(_:)``.
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
