// SPDX-License-Identifier: Apache-2.0

import OAuthClient

/// A store that holds some reads of tokens until a test lets them go, one by one.
actor HeldTokenStore: TokenStore {
    private let store = MemoryTokenStore()
    private var readsToHold = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Holds the next reads.
    func hold(_ count: Int) { readsToHold = count }

    /// Waits until so many reads are held, or the time of the test is up.
    func arrival(of count: Int) async throws {
        while waiting.count < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Lets the read go that has waited longest.
    func release() {
        if !waiting.isEmpty { waiting.removeFirst().resume() }
    }

    func tokens(of account: ClientAccount) async throws -> TokenSet? {
        if readsToHold > 0 {
            readsToHold -= 1
            await withCheckedContinuation { waiting.append($0) }
        }
        return await store.tokens(of: account)
    }

    func save(_ tokens: TokenSet, of account: ClientAccount) async throws {
        await store.save(tokens, of: account)
    }

    func deleteTokens(of account: ClientAccount) async throws {
        await store.deleteTokens(of: account)
    }

    func updateTokens(
        of account: ClientAccount,
        _ change: @escaping @Sendable (TokenSet?) throws -> TokenSet?
    ) async throws {
        try await store.updateTokens(of: account, change)
    }
}
