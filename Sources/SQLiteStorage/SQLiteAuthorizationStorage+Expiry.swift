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
    static let accessTokens: SQL = """
        DELETE FROM access_tokens WHERE token_hash IN
            (SELECT token_hash FROM access_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let codes: SQL = """
        DELETE FROM codes WHERE code_hash IN
            (SELECT code_hash FROM codes WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        RETURNING grant_id
        """
    static let refreshTokens: SQL = """
        DELETE FROM refresh_tokens WHERE token_hash IN
            (SELECT token_hash FROM refresh_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        RETURNING grant_id
        """
    static let registrationTokens: SQL = """
        DELETE FROM registration_tokens WHERE token_hash IN
            (SELECT token_hash FROM registration_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
    static let grants: SQL = """
        DELETE FROM grants WHERE id IN
            (SELECT id FROM grants WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """
}

extension SQLiteConnection {
    fileprivate func deleteExpired(at now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        let horizon = StorageRetention.horizon(at: now)
        var left = limit
        left -= try deleteReplayKeys(before: now, atMost: left)
        for table in [ExpiredRows.authorizationRequests, ExpiredRows.sessions] {
            left -= try run(table, [.time(now), .count(left)])
        }
        left -= try deleteDevices(at: now, atMost: left)
        left -= try run(ExpiredRows.accessTokens, [.time(now), .count(left)])
        for table in [ExpiredRows.codes, ExpiredRows.refreshTokens] {
            left -= try deleteTokens(table, before: horizon, atMost: left)
        }
        left -= try run(ExpiredRows.registrationTokens, [.time(now), .count(left)])
        left -= try run(
            "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE is_empty = 1 LIMIT ?)",
            [.count(left)]
        )
        left -= try run(ExpiredRows.grants, [.time(now), .count(left)])
        return limit - left
    }

    /// Deletes codes or refresh tokens and marks the grants that have none left.
    private func deleteTokens(_ sql: SQL, before horizon: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        let grantIDs = try rows(sql, [.time(horizon), .count(limit)]) { row throws(StorageError) in try row.text(0) }
        for grantID in grantIDs {
            try run(
                """
                UPDATE grants SET is_empty = 1 WHERE id = ?1
                    AND NOT EXISTS (SELECT 1 FROM codes WHERE grant_id = ?1)
                    AND NOT EXISTS (SELECT 1 FROM refresh_tokens WHERE grant_id = ?1)
                """,
                [.text(grantID)]
            )
        }
        return grantIDs.count
    }
}
#endif
