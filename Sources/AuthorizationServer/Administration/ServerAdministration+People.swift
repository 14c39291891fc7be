// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
public import ServerStorage

extension ServerAdministration {
    /// Lists the users who can sign in.
    ///
    /// - Returns: All accounts, in the order of their user names.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func users() async throws(AuthorizationServerError) -> [UserAccount] {
        try await stored { try await $0.users() }
    }

    /// Changes a user's password.
    ///
    /// This ends all browser sessions of the user; the grants of clients remain.
    ///
    /// - Parameters:
    ///   - username: The user name; ASCII letters of either case.
    ///   - password: The password: 8 to 1024 bytes (NIST SP 800-63B section 5.1.1.2).
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such user,
    ///   ``AuthorizationServerError/Code/invalidValue``, ``AuthorizationServerError/Code/storageFailed``,
    ///   ``AuthorizationServerError/Code/busy``,
    ///   ``AuthorizationServerError/Code/passwordHashingFailed``.
    public func changePassword(
        of username: String,
        to password: String
    ) async throws(AuthorizationServerError) {
        let user = try await user(username)
        let hash = try await hash(password)
        guard try await stored({ try await $0.setPassword(hash, of: user.subject) }) else { throw .noSuchUser }
        record(.passwordChanged, subject: user.subject)
    }

    /// Removes a user: the account can no longer sign in, and every token that was issued for it is revoked.
    ///
    /// Issued access tokens remain valid until they expire, at APIs that do not look them up.
    ///
    /// - Parameter username: The user name; ASCII letters of either case.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such user,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func removeUser(_ username: String) async throws(AuthorizationServerError) {
        let (user, now) = (try await user(username), clock.now())
        guard try await stored({ try await $0.removeUser(user.subject, at: now) }) else { throw .noSuchUser }
        record(.userRemoved, subject: user.subject)
    }

    /// The account with a user name.
    func user(_ username: String) async throws(AuthorizationServerError) -> UserAccount {
        let name = Username.stored(username)
        guard let user = try await stored({ try await $0.user(named: name) }) else { throw .noSuchUser }
        return user
    }
}

extension AuthorizationServerError {
    fileprivate static let noSuchUser = Self(.notFound, "there is no user of this name")
}
