// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// How many rows one step deletes at most, so that waiting operations are not delayed.
    private static let stepSize = 256

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
        await writer.tryAgainIfRefused()
        var deleted = 0
        while deleted < limit {
            let size = min(Self.stepSize, limit - deleted)
            let step = try await writer.write { connection throws(StorageError) in
                try connection.deleteExpired(at: now, atMost: size)
            }
            deleted += step
            if step < size { break }
        }
        return deleted
    }
}

/// Statements that delete the oldest expired rows of one table.
///
/// Each takes a time and a count.
private enum ExpiredRows {
    static let authorizationRequests: SQL = """
        DELETE FROM authorization_requests WHERE handle_hash IN
            (SELECT handle_hash FROM authorization_requests WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let sessions: SQL = """
        DELETE FROM sessions WHERE id_hash IN
            (SELECT id_hash FROM sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let firstPartySessions: SQL = """
        DELETE FROM first_party_sessions WHERE id IN
            (SELECT id FROM first_party_sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let accessTokens: SQL = """
        DELETE FROM access_tokens WHERE token_hash IN
            (SELECT token_hash FROM access_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let codes: SQL = """
        DELETE FROM codes WHERE code_hash IN
            (SELECT code_hash FROM codes WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let attempts: SQL = """
        DELETE FROM attempts WHERE key IN
            (SELECT key FROM attempts WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let registrationTokens: SQL = """
        DELETE FROM registration_tokens WHERE token_hash IN
            (SELECT token_hash FROM registration_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let clients: SQL = """
        SELECT client_id FROM clients WHERE expires_at <= ? ORDER BY expires_at LIMIT ?
        """
    static let grants: SQL = """
        DELETE FROM grants WHERE id IN
            (SELECT id FROM grants WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
}

extension SQLiteConnection {
    fileprivate func deleteExpired(at now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
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
            try run("DELETE FROM clients WHERE client_id = ?", [.text(clientID)])
            // If the document is read again, its client must not inherit earlier consents.
            try run("DELETE FROM consents WHERE client_id = ?", [.text(clientID)])
            try run("DELETE FROM web_origins WHERE client_id = ?", [.text(clientID)])
        }
        return expired.count
    }
}
#endif
