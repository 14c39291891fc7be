// SPDX-License-Identifier: Apache-2.0

/// Signs out: revokes the tokens, deletes them, deletes the key.
///
/// A failed step does not stop the next.
struct SessionTermination: Sendable {
    let client: OAuth2Client
    /// The tokens that this process knows; the stored ones may be newer.
    let tokens: TokenSet?

    /// Ends the session while holding the refresh lock: another process that refreshes would store new tokens
    /// afterwards.
    ///
    /// - Returns: The first error; but an error of a store that still has the tokens comes before all others.
    func run() async -> OAuthClientError? {
        do {
            return try await client.tokenStore.withRefreshLock(on: client.account) { await end() }
        } catch {
            // Another process does not release the lock: sign out without it, as the user wants.
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
        // Tokens that were never bound have no key, and the store may not be able to make one.
        if let ended, ended.keyThumbprint == nil { return failure }
        do {
            try await client.keyring.delete()
        } catch {
            failure = failure ?? error
        }
        return failure
    }

    /// Revokes the refresh token, which ends its access tokens too; without a refresh token, the access token.
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
            // A server without a revocation endpoint lets tokens expire: nothing more can be done.
            return error.code == .unsupportedByServer ? nil : error
        }
    }
}
