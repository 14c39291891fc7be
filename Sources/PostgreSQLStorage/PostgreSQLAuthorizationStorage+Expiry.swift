// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// How many rows one step deletes at most, so that waiting operations are not delayed.
    private static let stepSize = 256

    /// The time of the database.
    ///
    /// A record that has expired by the clock of one server is deleted for all of them, so each server first compares
    /// its clock with this time.
    ///
    /// - Returns: The time when the database was asked.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func currentTime() async throws(StorageError) -> Timestamp {
        let time = try await pool.read { connection throws(StorageError) in
            try connection.row("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint") {
                row throws(StorageError) in try row.time(0)
            }
        }
        guard let time else { throw .unreadable("clock_timestamp") }
        return time
    }

    /// Deletes expired records that no longer matter.
    ///
    /// See ``/ServerStorage/AuthorizationStorage/deleteExpired(at:limit:)``.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: The maximum number of rows. They are deleted in small steps, and other operations run in between.
    /// - Returns: How many rows were deleted.
    /// - Throws: ``/ServerStorage/StorageError``; rows that earlier steps deleted stay deleted.
    public func deleteExpired(at now: Timestamp, limit: Int) async throws(StorageError) -> Int {
        var deleted = 0
        while deleted < limit {
            let size = min(Self.stepSize, limit - deleted)
            let step = try await pool.slowly { connection throws(StorageError) in
                try connection.deleteExpired(at: now, atMost: size)
            }
            deleted += step
            if step < size { break }
        }
        return deleted
    }
}

/// Statements that delete the oldest expired rows of one table; each takes a time and a count.
private enum ExpiredRows {
    static let authorizationRequests = oldest(
        "DELETE FROM authorization_requests WHERE handle_hash = ANY (ARRAY (SELECT handle_hash FROM authorization_requests"
    )
    static let sessions = oldest("DELETE FROM sessions WHERE id_hash = ANY (ARRAY (SELECT id_hash FROM sessions")
    static let firstPartySessions = oldest(
        "DELETE FROM first_party_sessions WHERE id = ANY (ARRAY (SELECT id FROM first_party_sessions"
    )
    static let accessTokens = oldest(
        "DELETE FROM access_tokens WHERE token_hash = ANY (ARRAY (SELECT token_hash FROM access_tokens"
    )
    static let codes = oldest("DELETE FROM codes WHERE code_hash = ANY (ARRAY (SELECT code_hash FROM codes")
    static let attempts = oldest("DELETE FROM attempts WHERE key = ANY (ARRAY (SELECT key FROM attempts")
    static let registrationTokens = oldest(
        "DELETE FROM registration_tokens WHERE token_hash = ANY (ARRAY (SELECT token_hash FROM registration_tokens"
    )
    static let grants = oldest("DELETE FROM grants WHERE id = ANY (ARRAY (SELECT id FROM grants")
    /// Returns the identifiers of the clients that it deletes.
    static let clients = oldest(
        "DELETE FROM clients WHERE client_id = ANY (ARRAY (SELECT client_id FROM clients",
        " RETURNING client_id"
    )

    /// The array is made once: PostgreSQL may run a query behind `IN` again for each row that it compares, and with
    /// `SKIP LOCKED` each time gets others, so that more rows go than the count says.
    private static func oldest(_ rows: StaticString, _ result: StaticString = "") -> SQL {
        SQL(
            joining: rows,
            " WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
            result
        )
    }
}

extension PostgreSQLConnection {
    fileprivate func deleteExpired(at now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        // One node at a time: the others would only wait for the same rows.
        guard try tryLock("expired rows") else { return 0 }
        var left = limit
        left -= try deleteSingleUses(before: now, atMost: left)
        for table in [ExpiredRows.authorizationRequests, ExpiredRows.sessions, ExpiredRows.firstPartySessions] {
            left -= try run(table, [.time(now), .count(left)])
        }
        left -= try deleteDevices(at: now, atMost: left)
        left -= try run(ExpiredRows.accessTokens, [.time(now), .count(left)])
        left -= try run(ExpiredRows.attempts, [.time(now), .count(left)])
        left -= try run(ExpiredRows.codes, [.time(StorageRetention.horizon(at: now)), .count(left)])
        left -= try run(ExpiredRows.registrationTokens, [.time(now), .count(left)])
        left -= try run(ExpiredRows.grants, [.time(now), .count(left)])
        left -= try deleteClients(before: now, atMost: left)
        return limit - left
    }

    /// Deletes clients that were not used for their whole lifetime: the refresh tokens of their grants ended before it did.
    private func deleteClients(before now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        guard limit > 0 else { return 0 }
        let expired = try rows(ExpiredRows.clients, [.time(now), .count(limit)]) { row throws(StorageError) in
            try row.text(0)
        }
        for clientID in expired {
            // If the document is read again, its client must not inherit earlier consents.
            try run("DELETE FROM consents WHERE client_id = $1", [.text(clientID)])
            try run("DELETE FROM web_origins WHERE client_id = $1", [.text(clientID)])
        }
        return expired.count
    }
}
#endif
