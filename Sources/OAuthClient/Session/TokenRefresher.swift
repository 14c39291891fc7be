// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem

/// One refresh, from reading the current tokens to storing the new ones.
struct TokenRefresher: Sendable {
    /// The outcome of a refresh.
    struct Outcome: Sendable {
        /// The tokens of the session, stored.
        let tokens: TokenSet
        /// The requested tokens: those of the session, or others for other resources.
        let fetched: TokenSet
        let event: SessionEvent

        init(tokens: TokenSet, fetched: TokenSet? = nil, event: SessionEvent) {
            self.tokens = tokens
            self.fetched = fetched ?? tokens
            self.event = event
        }
    }

    /// A failure that no later refresh can repair.
    struct SessionLost: Error {
        let event: SessionEvent
        let error: OAuthClientError
    }

    let client: OAuth2Client
    let tokens: TokenSet
    /// The resources that the access token is for; `nil` for the access token of the session.
    var resources: [String]?

    /// Refreshes, unless another process that shares the store has already done so.
    ///
    /// - Throws: ``SessionLost``, and ``OAuthClientError`` for temporary failures.
    func refresh() async throws -> Outcome {
        do {
            return try await client.tokenStore.withRefreshLock(on: client.account) {
                let stored = try await storedTokens()
                if resources == nil, isNewer(stored) { return Outcome(tokens: stored, event: .adopted) }
                return try await refresh(stored)
            }
        } catch let lost as SessionLost {
            throw lost
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be read or locked")
        }
    }

    private func storedTokens() async throws -> TokenSet {
        guard let stored = try await client.tokenStore.tokens(of: client.account) else {
            let error = OAuthClientError(.sessionEnded, "the account was signed out; sign in again")
            throw SessionLost(event: .signedOut, error: error)
        }
        return stored
    }

    private func isNewer(_ stored: TokenSet) -> Bool {
        stored.accessToken != tokens.accessToken && !stored.isExpired(at: client.clock.now())
    }

    private func refresh(_ stored: TokenSet) async throws -> Outcome {
        let refreshed: TokenSet
        do {
            refreshed = try await client.refreshAccessToken(stored, resources: resources ?? stored.resources)
        } catch {
            return try await outcome(of: error, stored)
        }
        return try await keep(refreshed, stored)
    }

    /// Stores the tokens before any caller gets the access token: losing a rotated refresh token ends the session.
    private func keep(_ refreshed: TokenSet, _ stored: TokenSet) async throws -> Outcome {
        var kept = refreshed
        if resources != nil { kept = stored.with(refreshed.refreshToken) }
        do {
            try await client.save(kept)
        } catch {
            throw SessionLost(event: .expired, error: error)
        }
        return Outcome(tokens: kept, fetched: refreshed, event: .refreshed)
    }

    /// Decides what happens to the session when no new tokens came.
    private func outcome(of error: OAuthClientError, _ stored: TokenSet) async throws -> Outcome {
        if error.code == .idTokenRejected {
            // The refresh token is consumed, and it is not known which user the new tokens belong to.
            throw try await sessionEnded(by: error, "\(error.reason); sign in again")
        }
        guard error.answer?.error == .invalidGrant else { throw error }
        // A process without the lock may have refreshed first: only the newest refresh token decides.
        let newest = try await storedTokens()
        guard newest.refreshToken != stored.refreshToken else {
            throw try await sessionEnded(
                by: error,
                "the server does not accept the refresh token any more; sign in again"
            )
        }
        // There is a token for the session, but none for the other resources.
        if resources != nil { throw error }
        return Outcome(tokens: newest, event: .adopted)
    }

    private func sessionEnded(by error: OAuthClientError, _ reason: String) async throws -> SessionLost {
        try await client.tokenStore.deleteTokens(of: client.account)
        let ended = OAuthClientError(
            .sessionEnded,
            reason,
            answer: error.answer,
            underlying: error
        )
        return SessionLost(event: .expired, error: ended)
    }
}
