// SPDX-License-Identifier: Apache-2.0

import OAuthClient

/// A store that fails on demand and records the order of its calls.
actor FaultyTokenStore: TokenStore {
    struct Fault: Error {}

    private let store = MemoryTokenStore()
    private(set) var saves = 0
    private var failingSaves = 0
    private var goodSaves = 0
    private var failsToDelete = false

    func failSaves(_ count: Int, after good: Int = 0) {
        failingSaves = count
        goodSaves = good
    }

    func failToDelete() {
        failsToDelete = true
    }

    func tokens(of account: ClientAccount) async throws -> TokenSet? {
        await store.tokens(of: account)
    }

    func save(_ tokens: TokenSet, of account: ClientAccount) async throws {
        saves += 1
        if goodSaves > 0 {
            goodSaves -= 1
        } else if failingSaves > 0 {
            failingSaves -= 1
            throw Fault()
        }
        await store.save(tokens, of: account)
    }

    func deleteTokens(of account: ClientAccount) async throws {
        if failsToDelete { throw Fault() }
        await store.deleteTokens(of: account)
    }
}
