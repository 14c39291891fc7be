// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

/// One refresh, from the tokens at hand to the stored new ones.
struct TokenRefresher: Sendable {
    let client: OAuth2Client
    let tokens: TokenSet

    /// Refreshes, unless another process that shares the store was quicker.
    func refresh() async throws(OAuthClientError) -> TokenSet {
        do {
            return try await client.tokenStore.withRefreshLock(on: client.account) {
                let stored = try await storedTokens()
                if isNewer(stored) { return stored }
                return try await refresh(stored)
            }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be read or locked")
        }
    }

    private func storedTokens() async throws -> TokenSet {
        guard let stored = try await client.tokenStore.tokens(of: client.account) else {
            throw OAuthClientError(.sessionEnded, "the account was signed out; sign in again")
        }
        return stored
    }

    private func isNewer(_ stored: TokenSet) -> Bool {
        stored.accessToken != tokens.accessToken && !stored.isExpired(at: client.clock.now())
    }

    private func refresh(_ stored: TokenSet) async throws -> TokenSet {
        let refreshed: TokenSet
        do {
            refreshed = try await client.refreshAccessToken(stored)
        } catch  where error.answer?.error == .invalidGrant {
            // Someone without a lock may have been quicker: only the newest refresh token decides.
            let newest = try await storedTokens()
            if newest.refreshToken != stored.refreshToken { return newest }
            try await client.tokenStore.deleteTokens(of: client.account)
            throw OAuthClientError(
                .sessionEnded,
                "the server does not accept the refresh token any more; sign in again",
                answer: error.answer,
                underlying: error
            )
        }
        // Stored before anyone gets the access token: a rotated refresh token that is lost ends the session.
        try await client.save(refreshed)
        return refreshed
    }
}
