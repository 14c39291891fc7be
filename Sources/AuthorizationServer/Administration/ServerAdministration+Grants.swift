// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
public import ServerStorage

extension ServerAdministration {
    /// Lists what a person allowed and is in force.
    ///
    /// - Parameter username: The name of the person; ASCII letters of either case.
    /// - Returns: The grants, the oldest first.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when there is no such person,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func grants(of username: String) async throws(AuthorizationServerError) -> [Grant] {
        let user = try await user(username)
        return try await stored { try await $0.grants(of: user.subject) }
    }

    /// Revokes a grant, and with it every token that was given out under it.
    ///
    /// Access tokens that are out are valid until they expire, where they are not looked up.
    ///
    /// - Parameter id: The identifier of the grant.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidValue`` when no grant of this
    ///   identifier is in force, ``AuthorizationServerError/Code/storageFailed``.
    public func revokeGrant(_ id: String) async throws(AuthorizationServerError) {
        let now = clock.now()
        guard let grant = try await stored({ try await $0.grant(id) }) else {
            throw AuthorizationServerError(.invalidValue, "no grant of this identifier is in force")
        }
        try await stored { try await $0.revokeGrant(id, at: now) }
        record(.grantRevoked, clientID: grant.clientID, subject: grant.subject, grantID: id)
    }

    /// Revokes every grant: for when a backup was restored, since what was spent after it was made would be good again.
    ///
    /// - Returns: How many were in force.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func revokeAllGrants() async throws(AuthorizationServerError) -> Int {
        let now = clock.now()
        let count = try await stored { try await $0.revokeGrants(of: nil, at: now) }
        record(.allGrantsRevoked)
        return count
    }
}
