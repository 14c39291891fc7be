// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
public import ServerStorage

extension ServerAdministration {
    /// Lists the active grants of a user.
    ///
    /// - Parameter username: The user name; ASCII letters of either case.
    /// - Returns: The grants, the oldest first.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such user,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func grants(of username: String) async throws(AuthorizationServerError) -> [Grant] {
        let user = try await user(username)
        return try await stored { try await $0.grants(of: user.subject) }
    }

    /// Revokes a grant and every token that was issued under it.
    ///
    /// Issued access tokens remain valid until they expire, at APIs that do not look them up.
    ///
    /// - Parameter id: The identifier of the grant.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no active grant
    ///   with this identifier, ``AuthorizationServerError/Code/storageFailed``.
    public func revokeGrant(_ id: String) async throws(AuthorizationServerError) {
        let now = clock.now()
        guard let grant = try await stored({ try await $0.grant(id) }) else {
            throw AuthorizationServerError(.notFound, "no grant of this identifier is in force")
        }
        try await stored { try await $0.revokeGrant(id, at: now) }
        record(.grantRevoked, clientID: grant.clientID, subject: grant.subject, grantID: id)
    }

    /// Revokes every grant and ends every session: for use after restoring a backup.
    ///
    /// Codes and tokens that were used since the backup would otherwise be valid again, and sessions that have ended
    /// since would be open. ``removeAllRegistrationTokens()`` does the same for registration.
    ///
    /// - Returns: How many were active.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func revokeAllGrants() async throws(AuthorizationServerError) -> Int {
        let now = clock.now()
        let count = try await stored { try await $0.revokeGrants(of: nil, at: now) }
        record(.allGrantsRevoked)
        return count
    }
}
