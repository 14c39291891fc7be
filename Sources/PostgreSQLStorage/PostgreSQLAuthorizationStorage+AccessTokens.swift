// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// A usable token; see ``/ServerStorage/AccessTokenStore/liveAccessToken(_:at:)``.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func liveAccessToken(
        _ token: GrantSecret,
        at now: Timestamp
    ) async throws(StorageError) -> StoredAccessToken? {
        try await pool.read { connection throws(StorageError) in
            try connection.liveAccessToken(token.hash, at: now)
        }
    }
}

extension PostgreSQLConnection {
    func liveAccessToken(_ tokenHash: SecretHash, at now: Timestamp) throws(StorageError) -> StoredAccessToken? {
        try row(
            """
            SELECT token.grant_id, token.claims, token.expires_at
            FROM access_tokens AS token JOIN grants ON grants.id = token.grant_id
            WHERE token.token_hash = $1 AND token.expires_at > $2 AND grants.revoked_at IS NULL
            """,
            [.hash(tokenHash), .time(now)]
        ) { row throws(StorageError) in
            try StoredAccessToken(tokenHash, row: row)
        }
    }

    /// Stores a token, unless the same one is stored.
    func insert(_ token: StoredAccessToken) throws(StorageError) {
        let isNew =
            try run(
                """
                INSERT INTO access_tokens (token_hash, grant_id, claims, expires_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT (token_hash) DO UPDATE SET expires_at = excluded.expires_at
                    WHERE access_tokens.grant_id = excluded.grant_id AND access_tokens.claims = excluded.claims
                    AND access_tokens.expires_at = excluded.expires_at
                """,
                token.storedValues
            ) == 1
        guard isNew else { throw .isStoredOtherwise("the access token") }
    }
}
#endif
