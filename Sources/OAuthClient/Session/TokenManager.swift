// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthCore

/// Gives out the access token of a session, fresh, and refreshes it once for all who wait.
///
/// A network failure or a server that is down leaves the session as it is; only `invalid_grant` ends it. A wrong clock of
/// the device costs a refresh at most, since the answer of the API decides.
public actor TokenManager {
    private let client: OAuth2Client
    private var tokens: TokenSet?
    /// The refresh that runs.
    ///
    /// Set before anything is awaited, or else a second caller would start another.
    private var running: Task<TokenSet, any Error>?

    init(client: OAuth2Client, tokens: TokenSet) {
        self.client = client
        self.tokens = tokens
    }

    /// The tokens; refreshed first when the access token has expired.
    ///
    /// - Returns: The tokens.
    /// - Throws: ``OAuthClientError/Code/sessionEnded``, and the codes of ``refresh(replacing:)``.
    public func fetch() async throws(OAuthClientError) -> TokenSet {
        let tokens = try current()
        guard tokens.refreshToken != nil, tokens.isExpired(at: client.clock.now()) else { return tokens }
        return try await refresh(replacing: tokens.accessToken)
    }

    /// Refreshes, or waits for the refresh that runs already.
    ///
    /// A refresh that has begun is never cancelled: the server may have spent the old refresh token already.
    ///
    /// - Parameter failed: The access token that was refused; when it is not the newest one, the newest is the answer.
    /// - Returns: The new tokens, stored already.
    /// - Throws: ``OAuthClientError/Code/sessionEnded`` when the user must sign in again,
    ///   ``OAuthClientError/Code/serverUnavailable``, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/storageFailed``, ``OAuthClientError/Code/keyUnavailable``,
    ///   ``OAuthClientError/Code/keyChanged``, ``OAuthClientError/Code/serverRefused``,
    ///   ``OAuthClientError/Code/malformedAnswer``, ``OAuthClientError/Code/tokenTypeRefused``.
    @discardableResult
    public func refresh(replacing failed: AccessToken? = nil) async throws(OAuthClientError) -> TokenSet {
        if let running { return try await Self.result(of: running) }
        let tokens = try current()
        if let failed, tokens.accessToken != failed { return tokens }
        let refresher = TokenRefresher(client: client, tokens: tokens)
        let task = Task { try await self.run(refresher) }
        running = task
        return try await Self.result(of: task)
    }

    /// Revokes the tokens at the server, then deletes them and the key here, whatever the server says.
    ///
    /// - Throws: The first thing that went wrong. The tokens are deleted here nevertheless, unless the code is
    ///   ``OAuthClientError/Code/storageFailed``; at the server they may live on until they expire.
    public func revoke() async throws(OAuthClientError) {
        if let running { _ = try? await Self.result(of: running) }
        let tokens = self.tokens
        self.tokens = nil
        var failure: OAuthClientError?
        do {
            if let tokens { try await revokeAtServer(tokens) }
        } catch {
            // A server that revokes nothing lets tokens expire: that is all there is to do.
            failure = error.code == .unsupportedByServer ? nil : error
        }
        do {
            try await client.tokenStore.deleteTokens(of: client.account)
        } catch {
            failure = OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be deleted")
        }
        do {
            try await client.keyring.delete()
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
    }

    private func revokeAtServer(_ tokens: TokenSet) async throws(OAuthClientError) {
        if let refreshToken = tokens.refreshToken {
            try await client.revoke(refreshToken)
        } else {
            try await client.revoke(tokens.accessToken)
        }
    }

    private func current() throws(OAuthClientError) -> TokenSet {
        guard let tokens else { throw OAuthClientError(.sessionEnded, "the session is over; sign in again") }
        return tokens
    }

    private func run(_ refresher: TokenRefresher) async throws(OAuthClientError) -> TokenSet {
        defer { running = nil }
        do {
            let refreshed = try await refresher.refresh()
            tokens = refreshed
            return refreshed
        } catch {
            if error.code == .sessionEnded { tokens = nil }
            throw error
        }
    }

    private static func result(of task: Task<TokenSet, any Error>) async throws(OAuthClientError) -> TokenSet {
        do {
            return try await task.value
        } catch {
            throw OAuthClientError(error, otherwise: .transportFailed, "the refresh failed")
        }
    }
}
