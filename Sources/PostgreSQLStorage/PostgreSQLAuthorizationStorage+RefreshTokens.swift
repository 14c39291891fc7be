// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// A refresh token; see ``/ServerStorage/GrantStore/refreshToken(_:)``.
    ///
    /// - Parameter token: The token.
    /// - Returns: The token; `nil` if its family is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func refreshToken(_ token: GrantSecret) async throws(StorageError) -> StoredRefreshToken? {
        try await pool.read { connection throws(StorageError) in try connection.refresh(of: token)?.stored }
    }

    /// A usable refresh token; see ``/ServerStorage/GrantStore/liveRefreshToken(_:at:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func liveRefreshToken(
        _ token: GrantSecret,
        at now: Timestamp
    ) async throws(StorageError) -> StoredRefreshToken? {
        try await pool.read { connection throws(StorageError) in
            guard let refresh = try connection.refresh(of: token), refresh.isLive(at: now) else { return nil }
            return refresh.stored
        }
    }

    /// Rotates a refresh token; see ``/ServerStorage/GrantStore/rotate(_:to:grace:recording:at:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - successor: The new token.
    ///   - grace: How long a used token may be exchanged again; zero for never.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the successor is of another grant or family.
    public func rotate(
        _ token: GrantSecret,
        to successor: StoredRefreshToken,
        grace: Duration,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<RefreshRotation> {
        let plan = PostgreSQLProofPlan(recording, within: singleUses, at: now).flatMap { proof in
            PostgreSQLPlan.rotation(of: token, to: successor, recording: proof, at: now)
        }
        return try await writeRecorded(recording, at: now, trying: plan) { connection throws(StorageError) in
            guard let refresh = try connection.lockedRefresh(of: token), !refresh.isRevoked else { return .unknown }
            var state = refresh.state
            guard successor.grantID.isIdentical(to: token.grantID), successor.familyHash == state.familyHash else {
                throw .belongsToAnotherGrant
            }
            let rotation = state.rotation(of: token.hash, to: successor.tokenHash, grace: grace, at: now)
            switch rotation {
            case .rotated, .reissued:
                state.replaceCurrent(with: successor, as: rotation, at: now)
                try connection.update(state, of: token.grantID)
            case .reused where connection.isRepeat:
                // The client may have gone on by another node since: a late repeat is no reuse.
                return .unknown
            case .reused:
                try connection.revokeGrant(token.grantID, at: now)
            case .unknown:
                break
            }
            return rotation
        }
    }

    /// Extends a refresh token; see ``/ServerStorage/GrantStore/prolong(_:until:recording:at:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - end: The new expiry.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false` if it cannot be used, or is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func prolong(
        _ token: GrantSecret,
        until end: Timestamp,
        recording: Recording,
        at now: Timestamp
    ) async throws(StorageError) -> Recorded<Bool> {
        try await writeRecorded(recording, at: now) { connection throws(StorageError) in
            guard let refresh = try connection.lockedRefresh(of: token), refresh.isLive(at: now) else { return false }
            var state = refresh.state
            state.current.expiresAt = end
            try connection.update(state, of: token.grantID)
            return true
        }
    }
}

extension PostgreSQLConnection {
    /// The refresh tokens of the grant that a token names; `nil` if it is not of their family.
    func refresh(of token: GrantSecret) throws(StorageError) -> GrantRefreshTokens? {
        let found = try row(
            """
            SELECT client_id, revoked_at IS NOT NULL, family_hash, refresh_scope, was_unbound,
                refresh_hash, refresh_thumbprint, refresh_ends,
                previous_hash, previous_thumbprint, previous_ends, rotated_at, reissues
            FROM grants WHERE id = $1 AND family_hash IS NOT NULL
            """,
            [.text(token.grantID)]
        ) { row throws(StorageError) in try GrantRefreshTokens(token, row: row) }
        return found.flatMap { $0.state.isOfFamily(token) ? $0 : nil }
    }

    /// The refresh tokens of a grant that no other transaction changes until this one ends.
    func lockedRefresh(of token: GrantSecret) throws(StorageError) -> GrantRefreshTokens? {
        // After waiting for another transaction, the row is read as that one left it.
        let found = try row(
            """
            SELECT client_id, revoked_at IS NOT NULL, family_hash, refresh_scope, was_unbound,
                refresh_hash, refresh_thumbprint, refresh_ends,
                previous_hash, previous_thumbprint, previous_ends, rotated_at, reissues
            FROM grants WHERE id = $1 AND family_hash IS NOT NULL FOR NO KEY UPDATE
            """,
            [.text(token.grantID)]
        ) { row throws(StorageError) in try GrantRefreshTokens(token, row: row) }
        return found.flatMap { $0.state.isOfFamily(token) ? $0 : nil }
    }

    /// Stores the refresh tokens of a grant in its row, and keeps it until a day after the current one expires.
    ///
    /// The time is an indexed column, so that each refresh would change the index too: it is set an hour further than
    /// needed, and then left alone for an hour.
    func update(_ state: RefreshTokenState, of grantID: String) throws(StorageError) {
        let needed = StorageRetention.endOfGrant(after: state.current.expiresAt)
        try later(
            """
            UPDATE grants SET family_hash = $1, refresh_scope = $2, was_unbound = $3,
                refresh_hash = $4, refresh_thumbprint = $5, refresh_ends = $6,
                previous_hash = $7, previous_thumbprint = $8, previous_ends = $9, rotated_at = $10, reissues = $11,
                expires_at = CASE WHEN expires_at < $13 THEN $14 ELSE expires_at END
            WHERE id = $12
            """,
            state.storedValues + [.text(grantID), .time(needed), .time(needed + .seconds(3600))]
        )
    }
}
#endif
