// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

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

    /// Sets the claims of an account, in one step.
    ///
    /// Again: `true`, since the account has these claims.
    ///
    /// - Parameters:
    ///   - claims: All claims of the account from now on; see ``UserAccount/claims``.
    ///   - subject: `sub`.
    ///   - expected: The claims that the account must have until now, so that no other change is lost; `nil` for any.
    /// - Returns: `false`, without a change, if there is no such account or it has other claims.
    /// - Throws: An error of the driver.
    func setClaims(_ claims: JSONObject, of subject: String, replacing expected: JSONObject?) async throws -> Bool
}
