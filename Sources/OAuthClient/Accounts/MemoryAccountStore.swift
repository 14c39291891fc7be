// SPDX-License-Identifier: Apache-2.0

/// Keeps the list of accounts in memory: it is gone with the process.
public actor MemoryAccountStore: AccountStore {
    private var stored = AccountList()

    /// Makes an empty store.
    public init() {}

    /// The list.
    ///
    /// - Returns: The list.
    public func list() -> AccountList { stored }

    /// Changes the list.
    ///
    /// - Parameter change: What to change.
    /// - Returns: The changed list.
    @discardableResult
    public func update(_ change: @Sendable (inout AccountList) -> Void) -> AccountList {
        change(&stored)
        return stored
    }
}
