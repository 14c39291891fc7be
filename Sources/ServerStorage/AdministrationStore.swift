// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// What an operator does with people and what they allowed.
public protocol AdministrationStore: Sendable {
    /// Lists the accounts.
    ///
    /// - Returns: All accounts, in the order of their user names.
    /// - Throws: An error of the driver.
    func users() async throws -> [UserAccount]

    /// Gives an account another password, and ends every session of the person in the same step.
    ///
    /// - Parameters:
    ///   - password: The hash of the new password.
    ///   - subject: `sub`.
    /// - Returns: `false` when there is no such account.
    /// - Throws: An error of the driver.
    func setPassword(_ password: PasswordHash, of subject: String) async throws -> Bool

    /// Removes an account with its sessions and consents, and revokes every grant of the person, in one step.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - now: The time.
    /// - Returns: `false` when there is no such account.
    /// - Throws: An error of the driver.
    func removeUser(_ subject: String, at now: Timestamp) async throws -> Bool

    /// Lists what is in force of what a person allowed.
    ///
    /// - Parameter subject: `sub`; or the identifier of a client, for what it has for itself.
    /// - Returns: The grants, the oldest first.
    /// - Throws: An error of the driver.
    func grants(of subject: String) async throws -> [Grant]

    /// Revokes every grant of a person or of everybody, and with them every token, in one step.
    ///
    /// - Parameters:
    ///   - subject: `sub`; `nil` for everybody.
    ///   - now: The time.
    /// - Returns: How many were in force.
    /// - Throws: An error of the driver.
    func revokeGrants(of subject: String?, at now: Timestamp) async throws -> Int
}
