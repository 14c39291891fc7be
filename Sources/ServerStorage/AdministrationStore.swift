// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// An operator's commands on users and their grants.
public protocol AdministrationStore: Sendable {
    /// Lists the accounts.
    ///
    /// - Returns: All accounts, in the order of their user names.
    /// - Throws: An error of the driver.
    func users() async throws -> [UserAccount]

    /// Sets the password of an account and ends every session of the user, in one step.
    ///
    /// - Parameters:
    ///   - password: The hash of the new password.
    ///   - subject: `sub`.
    /// - Returns: `false` if there is no such account.
    /// - Throws: An error of the driver.
    func setPassword(_ password: PasswordHash, of subject: String) async throws -> Bool

    /// Removes an account with its sessions and consents, and revokes every grant of the user, in one step.
    ///
    /// Again: `false`; only a driver that repeats its own call can tell.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - now: The time.
    /// - Returns: `false` if there is no such account.
    /// - Throws: An error of the driver.
    func removeUser(_ subject: String, at now: Timestamp) async throws -> Bool

    /// Lists the grants of a user that are in force.
    ///
    /// - Parameter subject: `sub`, or the identifier of a client for its client credentials grants.
    /// - Returns: The grants, the oldest first.
    /// - Throws: An error of the driver.
    func grants(of subject: String) async throws -> [Grant]

    /// Revokes every grant of one or all users, with all their tokens, in one step.
    ///
    /// For all users it also ends every browser session and every sign-in inside an app. After a backup is restored,
    /// those that had ended since the backup would otherwise be open again.
    ///
    /// Again: it finds none in force.
    ///
    /// - Parameters:
    ///   - subject: `sub`; `nil` for all users.
    ///   - now: The time.
    /// - Returns: How many were in force.
    /// - Throws: An error of the driver.
    func revokeGrants(of subject: String?, at now: Timestamp) async throws -> Int
}
