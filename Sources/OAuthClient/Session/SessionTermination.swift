// SPDX-License-Identifier: Apache-2.0

/// The end of a session: tokens revoked, then deleted, then the key; each step whatever became of the one before.
struct SessionTermination: Sendable {
    let client: OAuth2Client
    /// What this process knows; what is stored may be newer.
    let tokens: TokenSet?

    /// Ends the session while no other process refreshes it: or else that one would store new tokens afterwards.
    ///
    /// - Returns: The first thing that went wrong, but a store that still has the tokens before everything else.
    func run() async -> OAuthClientError? {
        do {
            return try await client.tokenStore.withRefreshLock(on: client.account) { await end() }
        } catch {
            // Who holds the lock does not let go of it: the wish of the user counts more.
            let failure = OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be locked")
            return await end() ?? failure
        }
    }

    private func end() async -> OAuthClientError? {
        let stored = try? await client.tokenStore.tokens(of: client.account)
        let ended = stored ?? tokens
        var failure = await revoke(ended)
        do {
            try await client.tokenStore.deleteTokens(of: client.account)
        } catch {
            failure = OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be deleted")
        }
        // What was never bound has no key, and perhaps a store that cannot make one.
        if let ended, ended.keyThumbprint == nil { return failure }
        do {
            try await client.keyring.delete()
        } catch {
            failure = failure ?? error
        }
        return failure
    }

    /// The refresh token, since access tokens end with it; without one, the access token.
    private func revoke(_ tokens: TokenSet?) async -> OAuthClientError? {
        guard let tokens else { return nil }
        do {
            if let refreshToken = tokens.refreshToken {
                try await client.revoke(refreshToken)
            } else {
                try await client.revoke(tokens.accessToken)
            }
            return nil
        } catch {
            // A server that revokes nothing lets tokens expire: that is all there is to do.
            return error.code == .unsupportedByServer ? nil : error
        }
    }
}
