// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

extension OAuth2Client {
    /// Requests tokens for the client itself, without a user, bound to the client's key.
    ///
    /// Usually there is no refresh token: call this again when the tokens have expired.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - resources: The APIs that the tokens are for (RFC 8707).
    ///   - authorizationDetails: What to request in more detail than scopes can express (RFC 9396).
    ///   - additionalParameters: Further parameters of the token request.
    /// - Returns: The tokens, which are not stored.
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
            throw OAuthClientError(.invalidArgument, "a client that does not authenticate cannot get tokens for itself")
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
