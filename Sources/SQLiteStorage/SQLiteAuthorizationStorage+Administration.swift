// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// Sets the password of an account and ends its sessions.
    ///
    /// See ``/ServerStorage/AdministrationStore/setPassword(_:of:)``.
    ///
    /// - Parameters:
    ///   - password: The hash of the new password.
    ///   - subject: `sub`.
    /// - Returns: `false` if there is no such account.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func setPassword(_ password: PasswordHash, of subject: String) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            let changed = try connection.run(
                "UPDATE users SET password_hash = ? WHERE subject = ?",
                [.text(password.encoded), .text(subject)]
            )
            try connection.run("DELETE FROM sessions WHERE subject = ?", [.text(subject)])
            try connection.run("DELETE FROM first_party_sessions WHERE subject = ?", [.text(subject)])
            return changed == 1
        }
    }

    /// Removes an account and everything that belongs to it.
    ///
    /// See ``/ServerStorage/AdministrationStore/removeUser(_:at:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - now: The time.
    /// - Returns: `false` if there is no such account.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func removeUser(_ subject: String, at now: Timestamp) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            let values = [StoredValue.text(subject)]
            guard try connection.run("DELETE FROM users WHERE subject = ?", values) == 1 else { return false }
            try connection.run("DELETE FROM sessions WHERE subject = ?", values)
            try connection.run("DELETE FROM first_party_sessions WHERE subject = ?", values)
            try connection.run("DELETE FROM consents WHERE subject = ?", values)
            try connection.run(Self.revokeGrantsOfOne, [.time(now), .text(subject)])
            return true
        }
    }

    /// Lists the grants of a user that are in force; see ``/ServerStorage/AdministrationStore/grants(of:)``.
    ///
    /// - Parameter subject: `sub`.
    /// - Returns: The grants, the oldest first.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func grants(of subject: String) async throws(StorageError) -> [Grant] {
        let identifiers = try await reader.perform { connection throws(StorageError) in
            try connection.rows(
                "SELECT id FROM grants WHERE subject = ? AND revoked_at IS NULL ORDER BY created_at, id",
                [.text(subject)]
            ) { row throws(StorageError) in try row.text(0) }
        }
        var grants: [Grant] = []
        // A grant that ends in the meantime is left out.
        for id in identifiers {
            if let grant = try await grant(id) { grants.append(grant) }
        }
        return grants
    }

    /// Revokes grants; see ``/ServerStorage/AdministrationStore/revokeGrants(of:at:)``.
    ///
    /// - Parameters:
    ///   - subject: `sub`; `nil` for all users.
    ///   - now: The time.
    /// - Returns: How many were in force.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func revokeGrants(of subject: String?, at now: Timestamp) async throws(StorageError) -> Int {
        try await writer.write { connection throws(StorageError) in
            try connection.revokeOwnGrants(of: subject)
            guard let subject else {
                try connection.run("DELETE FROM sessions")
                try connection.run("DELETE FROM first_party_sessions")
                return try connection.run("UPDATE grants SET revoked_at = ? WHERE revoked_at IS NULL", [.time(now)])
            }
            return try connection.run(Self.revokeGrantsOfOne, [.time(now), .text(subject)])
        }
    }

    private static let revokeGrantsOfOne: SQL =
        "UPDATE grants SET revoked_at = ? WHERE subject = ? AND revoked_at IS NULL"
}
#endif
