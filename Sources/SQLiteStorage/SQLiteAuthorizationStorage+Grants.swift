// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// A grant that is in force; see ``/ServerStorage/GrantStore/grant(_:)``.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The grant; `nil` if it is unknown or revoked.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func grant(_ id: String) async throws(StorageError) -> Grant? {
        try await reader.perform { connection throws(StorageError) in try connection.grantInForce(id) }
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

extension SQLiteConnection {
    /// A grant that was not revoked itself.
    func grant(_ id: String) throws(StorageError) -> Grant? {
        if let own = ClientCredentialsGrantID(id) { return try grant(own) }
        return try row(
            """
            SELECT client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id, resources,
                authorization_details, id
            FROM grants WHERE id = ? AND revoked_at IS NULL
            """,
            [.text(id)]
        ) { row throws(StorageError) in try grants.record(id, row, read: Grant.init(row:)) }
    }

    /// Stores a new grant; `end` is when it can be deleted.
    func insert(_ grant: Grant, until end: Timestamp) throws(StorageError) {
        try run(
            """
            INSERT INTO grants (id, client_id, subject, scope, authenticated_at, acr, amr, created_at, parent_id,
                resources, authorization_details, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            grant.storedValues + [.time(end)]
        )
    }

    func revokeGrant(_ id: String, at now: Timestamp) throws(StorageError) {
        if let own = ClientCredentialsGrantID(id) { return try revoke(own, at: now) }
        try run("UPDATE grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [.time(now), .text(id)])
    }

    /// Keeps a grant at least until a time.
    func keepGrant(_ id: String, until end: Timestamp) throws(StorageError) {
        try run("UPDATE grants SET expires_at = ?2 WHERE id = ?1 AND expires_at < ?2", [.text(id), .time(end)])
    }

    /// Keeps a grant until a day after its refresh token expires.
    ///
    /// The time is an indexed column, so that each refresh would change the index too: it is set an hour further than
    /// needed, and then left alone for an hour.
    func keepGrant(_ id: String, forTokenUntil end: Timestamp) throws(StorageError) {
        let needed = StorageRetention.endOfGrant(after: end)
        try run(
            "UPDATE grants SET expires_at = ?2 WHERE id = ?1 AND expires_at < ?3",
            [.text(id), .time(needed + .seconds(3600)), .time(needed)]
        )
    }
}
#endif
