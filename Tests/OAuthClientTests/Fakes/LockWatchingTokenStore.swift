// SPDX-License-Identifier: Apache-2.0

import OAuthClient

/// A store that tells a test when its refresh lock is asked for.
struct LockWatchingTokenStore: TokenStore {
    let store: MemoryTokenStore
    /// Opened by the first call for the lock.
    let lockIsAskedFor = Gate()

    func tokens(of account: ClientAccount) async throws -> TokenSet? { await store.tokens(of: account) }

    func save(_ tokens: TokenSet, of account: ClientAccount) async throws { await store.save(tokens, of: account) }

    func deleteTokens(of account: ClientAccount) async throws { await store.deleteTokens(of: account) }

    func updateTokens(
        of account: ClientAccount,
        _ change: @escaping @Sendable (TokenSet?) throws -> TokenSet?
    ) async throws {
        try await store.updateTokens(of: account, change)
    }

    func withRefreshLock<Result: Sendable>(
        on account: ClientAccount,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        await lockIsAskedFor.open()
        return try await store.withRefreshLock(on: account, body)
    }
}
