// SPDX-License-Identifier: Apache-2.0

/// Stores the list of an app's accounts.
public protocol AccountStore: Sendable {
    /// The list; an empty one when nothing was stored.
    ///
    /// - Returns: The list.
    /// - Throws: An error of the store. A list that cannot be read is an error, never an empty list.
    func list() async throws -> AccountList

    /// Changes the list atomically: of several callers, in any process, each sees what the one before stored.
    ///
    /// - Parameter change: What to change.
    /// - Returns: The changed list, stored.
    /// - Throws: An error of the store; the old list is kept.
    @discardableResult
    func update(_ change: @escaping @Sendable (inout AccountList) -> Void) async throws -> AccountList
}
