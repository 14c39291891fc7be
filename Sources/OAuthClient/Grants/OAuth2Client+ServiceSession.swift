// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

extension OAuth2Client {
    /// Starts a session of the client itself, without a user, that renews its tokens by itself.
    ///
    /// The access token is renewed ahead of its expiry, once for all callers, and once more when an API rejects it. Tokens
    /// are kept in memory only: a service that starts again asks for new ones; for one that starts often see
    /// ``storedServiceSession(scopes:resources:authorizationDetails:renewingNow:checkingKey:)``. Signing out revokes the access token and
    /// leaves the key, which belongs to the account.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - resources: The APIs that the tokens are for (RFC 8707).
    ///   - authorizationDetails: What to request in more detail than scopes can express (RFC 9396).
    /// - Returns: The session.
    /// - Throws: The codes of
    ///   ``requestClientCredentialsTokens(scopes:resources:authorizationDetails:additionalParameters:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)
    public func serviceSession(
        scopes: [String] = [],
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = []
    ) async throws(OAuthClientError) -> OAuthSession {
        let renewal = TokenRenewal { (_: TokenSet?, other: [String]?) async throws(OAuthClientError) in
            let tokens = try await requestClientCredentialsTokens(
                scopes: scopes,
                resources: other ?? resources,
                authorizationDetails: authorizationDetails
            )
            // RFC 6749 section 4.4.3: there should be no refresh token, and none is used.
            return TokenRenewal.Renewed(tokens: tokens.with(nil as RefreshToken?))
        }
        return OAuthSession(client: self, tokens: try await renewal.renew(nil, nil).tokens, renewal: renewal)
    }
}
