// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// A refresh token; see ``/ServerStorage/GrantStore/refreshToken(_:)``.
    ///
    /// - Parameter tokenHash: The hash of the token.
    /// - Returns: The token; `nil` if it is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func refreshToken(_ tokenHash: SecretHash) async throws(StorageError) -> StoredRefreshToken? {
        try await reader.perform { connection throws(StorageError) in try connection.refreshToken(tokenHash) }
    }

    /// A usable refresh token; see ``/ServerStorage/GrantStore/liveRefreshToken(_:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func liveRefreshToken(
        _ tokenHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> StoredRefreshToken? {
        try await reader.perform { connection throws(StorageError) in
            // One snapshot: a rotation between the two reads would show neither token.
            try connection.snapshot { () throws(StorageError) in
                guard try connection.refreshTokenState(tokenHash)?.state.isLive(at: now) ?? false else { return nil }
                return try connection.refreshToken(tokenHash)
            }
        }
    }

    /// Rotates a refresh token; see ``/ServerStorage/GrantStore/rotate(_:to:grace:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - successor: The new token.
    ///   - grace: How long a used token may be exchanged again; zero for never.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``; also if the successor is already stored or belongs to another grant.
    public func rotate(
        _ tokenHash: SecretHash,
        to successor: StoredRefreshToken,
        grace: Duration,
        at now: Timestamp
    ) async throws(StorageError) -> RefreshRotation {
        try await writer.write { connection throws(StorageError) in
            guard let (grantID, state) = try connection.refreshTokenState(tokenHash) else { return .unknown }
            let rotation = state.rotation(grace: grace, at: now)
            switch rotation {
            case .rotated:
                try connection.spend(tokenHash, for: successor.tokenHash, at: now)
                try connection.insert(successor, under: grantID)
            case .reissued:
                try connection.replaceSuccessor(of: tokenHash, by: successor.tokenHash)
                try connection.insert(successor, under: grantID)
            case .reused:
                try connection.revokeGrant(grantID, at: now)
            case .unknown:
                break
            }
            return rotation
        }
    }

    /// Extends a refresh token; see ``/ServerStorage/GrantStore/prolong(_:until:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - end: The new expiry.
    ///   - now: The time.
    /// - Returns: `false` if it cannot be used, or is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func prolong(
        _ tokenHash: SecretHash,
        until end: Timestamp,
        at now: Timestamp
    ) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            guard try connection.refreshTokenState(tokenHash)?.state.isLive(at: now) ?? false else { return false }
            return try connection.run(
                "UPDATE refresh_tokens SET expires_at = ? WHERE token_hash = ?",
                [.time(end), .hash(tokenHash)]
            ) == 1
        }
    }
}

extension SQLiteConnection {
    fileprivate func refreshToken(_ tokenHash: SecretHash) throws(StorageError) -> StoredRefreshToken? {
        try row(
            """
            SELECT grant_id, client_id, scope, dpop_thumbprint, expires_at
            FROM refresh_tokens WHERE token_hash = ?
            """,
            [.hash(tokenHash)]
        ) { row throws(StorageError) in
            StoredRefreshToken(
                tokenHash: tokenHash,
                grantID: try row.text(0),
                clientID: try row.text(1),
                scope: try row.scope(2),
                dpopThumbprint: try row.optionalThumbprint(3),
                expiresAt: try row.time(4)
            )
        }
    }

    fileprivate func refreshTokenState(
        _ tokenHash: SecretHash
    ) throws(StorageError) -> (grantID: String, state: RefreshTokenState)? {
        try row(
            """
            SELECT grants.id, token.expires_at, token.spent_at, token.was_replaced,
                successor.token_hash IS NOT NULL AND successor.spent_at IS NULL AND successor.was_replaced = 0,
                grants.revoked_at IS NOT NULL
            FROM refresh_tokens AS token
            JOIN grants ON grants.id = token.grant_id
            LEFT JOIN refresh_tokens AS successor ON successor.token_hash = token.successor_hash
            WHERE token.token_hash = ?
            """,
            [.hash(tokenHash)]
        ) { row throws(StorageError) in
            let state = RefreshTokenState(
                expiresAt: try row.time(1),
                usedAt: try row.optionalTime(2),
                wasReplaced: try row.flag(3),
                hasUnusedSuccessor: try row.flag(4),
                isRevoked: try row.flag(5)
            )
            return (try row.text(0), state)
        }
    }

    fileprivate func spend(
        _ tokenHash: SecretHash,
        for successor: SecretHash,
        at now: Timestamp
    ) throws(StorageError) {
        try run(
            "UPDATE refresh_tokens SET spent_at = ?, successor_hash = ? WHERE token_hash = ?",
            [.time(now), .hash(successor), .hash(tokenHash)]
        )
    }

    fileprivate func replaceSuccessor(
        of tokenHash: SecretHash,
        by successor: SecretHash
    ) throws(StorageError) {
        try run(
            """
            UPDATE refresh_tokens SET was_replaced = 1
            WHERE token_hash = (SELECT successor_hash FROM refresh_tokens WHERE token_hash = ?)
            """,
            [.hash(tokenHash)]
        )
        try run(
            "UPDATE refresh_tokens SET successor_hash = ? WHERE token_hash = ?",
            [.hash(successor), .hash(tokenHash)]
        )
    }
}
#endif
