// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

extension OAuth2Client {
    /// Continues a session of the client itself, without a user, with the tokens in its token store, or starts one.
    ///
    /// For programs that start often, such as a command or the job of a timer. All processes that share the store use the
    /// tokens until they expire; then one of them requests new ones. Stored tokens of a user, tokens for other scopes or
    /// resources, tokens whose key is gone and damaged ones are not used, and new ones take their place: give each service,
    /// and each user, an account of its own.
    ///
    /// Signing out revokes the access token, and deletes the stored tokens and the key. What a sign-out could not finish,
    /// because the server could not be reached or the process ended, the next call of this method does.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - resources: The APIs that the tokens are for (RFC 8707).
    ///   - authorizationDetails: What to request in more detail than scopes can express (RFC 9396).
    ///   - renewingNow: Whether to request new tokens even if the stored ones are valid, for example to find out whether the
    ///     server still accepts the client.
    ///   - checkingKey: Whether to ask the key store if it still has the key, as for ``restoreSession(checkingKey:)``. With
    ///     `false`, tokens whose key is gone are used, and the first call fails.
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
        renewingNow: Bool = false,
        checkingKey: Bool = true
    ) async throws(OAuthClientError) -> OAuthSession {
        let service = StoredServiceTokens(
            client: self,
            scopes: scopes,
            resources: resources,
            authorizationDetails: authorizationDetails
        )
        let stored = try await readableTokens(replacingNow: renewingNow)
        if let stored, stored.isEnded { await SessionTermination(client: self, tokens: stored).resume() }
        guard !renewingNow, let own = stored, service.isOwn(own), await hasKey(of: own, checking: checkingKey) else {
            return OAuthSession(client: self, tokens: try await service.start(), renewal: service.renewal)
        }
        server.clock.adopt(own.record.clock)
        return OAuthSession(client: self, tokens: own, renewal: service.renewal)
    }

    /// The stored tokens; `nil` also if they are damaged: they would stop the service for good, and new ones take their
    /// place.
    ///
    /// Only what was read and is malformed is damaged. A store that cannot be read now, or a file that others can read, is
    /// an error: the tokens are as they were. If they are replaced anyway, it does not matter why they cannot be read.
    private func readableTokens(replacingNow isReplacing: Bool) async throws(OAuthClientError) -> TokenSet? {
        do throws(OAuthClientError) {
            return try await storedTokens()
        } catch {
            guard isReplacing || error.underlying == nil && !error.mayPass else { throw error }
            return nil
        }
    }

    /// Whether stored tokens can be used: tokens bound to a lost key cannot, and a service gets new ones without a user
    /// (RFC 9449 section 5).
    private func hasKey(of stored: TokenSet, checking: Bool) async -> Bool {
        guard checking else { return true }
        return await !keyring.isGone(stored.keyThumbprint)
    }
}
