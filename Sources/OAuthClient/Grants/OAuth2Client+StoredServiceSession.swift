// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

extension OAuth2Client {
    /// Continues a session of the client itself, without a user, with the tokens in its token store, or starts one.
    ///
    /// For programs that start often: a command, a job of a timer. The tokens are used until they expire, by all processes
    /// that share the store, and one of them asks for new ones. Stored tokens of a user, or for other scopes or resources,
    /// are not used, and new ones take their place: give each service, and each user, an account of its own.
    ///
    /// Signing out revokes the access token, and deletes the stored tokens and the key.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - resources: The APIs that the tokens are for (RFC 8707).
    ///   - authorizationDetails: What to request in more detail than scopes can express (RFC 9396).
    ///   - renewingNow: Whether to ask for new tokens although the stored ones may be good, such as to find out whether the
    ///     server still accepts the client.
    /// - Returns: The session.
    /// - Throws: ``OAuthClientError/Code/storageFailed``, and the codes of
    ///   ``requestClientCredentialsTokens(scopes:resources:authorizationDetails:additionalParameters:)``.
    ///
    /// ## Specification
    ///
    /// [RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)
    public func storedServiceSession(
        scopes: [String] = [],
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = [],
        renewingNow: Bool = false
    ) async throws(OAuthClientError) -> OAuthSession {
        let service = StoredServiceTokens(
            client: self,
            scopes: scopes,
            resources: resources,
            authorizationDetails: authorizationDetails
        )
        guard !renewingNow, let stored = try await service.load() else {
            return OAuthSession(client: self, tokens: try await service.start(), renewal: service.renewal)
        }
        server.clock.adopt(stored.record.clock)
        return OAuthSession(client: self, tokens: stored, renewal: service.renewal)
    }
}
