// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

extension OAuth2Client {
    /// Gets tokens for the client itself, without any user; they are bound to the client's key.
    ///
    /// There is mostly no refresh token: call this again when they have expired.
    ///
    /// - Parameters:
    ///   - scopes: What to ask for, one scope token each.
    ///   - resources: What the tokens are to be used at (RFC 8707).
    ///   - authorizationDetails: What to ask for in more words than a scope has (RFC 9396).
    ///   - additionalParameters: Further parameters, for which there is no name here.
    /// - Returns: The tokens, not stored.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a public client, which may not use this grant, or for a
    ///   parameter that the client sets itself; ``OAuthClientError/Code/unsupportedByServer``,
    ///   ``OAuthClientError/Code/clientCertificateMissing``, and the codes of ``exchangeAuthorizationCode(_:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)
    public func requestClientCredentialsTokens(
        scopes: [String] = [],
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = [],
        additionalParameters: FormParameters = [:]
    ) async throws(OAuthClientError) -> TokenSet {
        guard configuration.clientAuthentication.method != .none else {
            throw OAuthClientError(.invalidArgument, "a client without authentication gets no tokens for itself")
        }
        return try await requestTokens(
            grant: ["grant_type": "client_credentials"],
            RequestedAccess(
                scope: Self.scope(scopes),
                resources: resources,
                authorizationDetails: authorizationDetails
            ),
            adding: additionalParameters
        )
    }
}
