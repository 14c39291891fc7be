// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// A grant that is in force; see ``/ServerStorage/GrantStore/grant(_:)``.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The grant; `nil` if it is unknown or revoked.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func grant(_ id: String) async throws(StorageError) -> Grant? {
        try await pool.read { connection throws(StorageError) in try connection.grantInForce(id) }
    }

    /// Stores a grant of an access token only; see ``/ServerStorage/GrantStore/record(_:until:recording:at:)``.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - end: When the access token expires.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: ``/ServerStorage/StorageError``; also if another grant with that identifier is stored.
    public func record(
        _ grant: Grant,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<Void> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            guard try connection.grant(grant.id) != grant else { return }
            try connection.insert(grant, until: end)
        }
    }

    /// Revokes a grant; see ``/ServerStorage/GrantStore/revokeGrant(_:recording:at:)``.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func revokeGrant(
        _ id: String,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<Void> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            try connection.revokeGrant(id, at: now)
        }
    }
}

extension PostgreSQLConnection {
    /// A grant that was not revoked itself.
    func grant(_ id: String) throws(StorageError) -> Grant? {
        if let own = ClientCredentialsGrantID(id) { return try grant(own) }
        return try row(
            """
            SELECT client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id, resources,
                authorization_details, id
            FROM grants WHERE id = $1 AND revoked_at IS NULL
            """,
            [.text(id)]
        ) { row throws(StorageError) in try grants.record(id, row, read: Grant.init(row:)) }
    }

    /// Whether a grant is not in force, which no other transaction changes until this one ends.
    func isRevokedUnderLock(_ id: String) throws(StorageError) -> Bool {
        try row("SELECT revoked_at IS NOT NULL FROM grants WHERE id = $1 FOR NO KEY UPDATE", [.text(id)]) {
            row throws(StorageError) in try row.flag(0)
        } ?? true
    }

    /// Stores a new grant; `end` is when it can be deleted.
    func insert(_ grant: Grant, until end: Timestamp) throws(StorageError) {
        try run(
            """
            INSERT INTO grants (id, client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id,
                resources, authorization_details, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            grant.storedValues + [.time(end)]
        )
    }

    func revokeGrant(_ id: String, at now: Timestamp) throws(StorageError) {
        if let own = ClientCredentialsGrantID(id) { return try revoke(own, at: now) }
        try run("UPDATE grants SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL", [.time(now), .text(id)])
    }

    /// Keeps a grant at least until a time.
    func keepGrant(_ id: String, until end: Timestamp) throws(StorageError) {
        try later("UPDATE grants SET expires_at = $2 WHERE id = $1 AND expires_at < $2", [.text(id), .time(end)])
    }
}
#endif
