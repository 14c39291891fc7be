// SPDX-License-Identifier: Apache-2.0

/// A store for accounts.
public protocol UserStore: Sendable {
    /// The account with a user name.
    ///
    /// - Parameter username: The user name in its stored form; see ``UserAccount/username``.
    /// - Returns: The account; `nil` if there is none.
    /// - Throws: An error of the driver.
    func user(named username: String) async throws -> UserAccount?

    /// The account with a subject.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: The account; `nil` if there is none.
    /// - Throws: An error of the driver.
    func user(subject: String) async throws -> UserAccount?

    /// Stores a new account.
    ///
    /// Again: `true` if the same account is stored.
    ///
    /// - Parameter user: The account.
    /// - Returns: `false`, without storing it, if its user name or subject is taken.
    /// - Throws: An error of the driver.
    func add(_ user: UserAccount) async throws -> Bool
}
