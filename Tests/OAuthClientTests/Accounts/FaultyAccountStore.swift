// SPDX-License-Identifier: Apache-2.0

import OAuthClient

/// A list of accounts that cannot be written after some changes.
actor FaultyAccountStore: AccountStore {
    struct Fault: Error {}

    private let store = MemoryAccountStore()
    private var good = Int.max

    func fail(after good: Int) { self.good = good }

    func list() async throws -> AccountList { await store.list() }

    func update(_ change: @escaping @Sendable (inout AccountList) -> Void) async throws -> AccountList {
        guard good > 0 else { throw Fault() }
        good -= 1
        return await store.update(change)
    }
}
