// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage
import StrictJSON

extension SQLiteAuthorizationStorage {
    /// Stores a token; see ``/ServerStorage/AccessTokenStore/add(_:)``.
    ///
    /// - Parameter accessToken: The token.
    /// - Throws: ``/ServerStorage/StorageError``; also if a token of that hash is already stored.
    public func add(_ accessToken: StoredAccessToken) async throws(StorageError) {
        try await writer.write { connection throws(StorageError) in
            _ = try connection.run(
                "INSERT INTO access_tokens (token_hash, grant_id, claims, expires_at) VALUES (?, ?, ?, ?)",
                [
                    .hash(accessToken.tokenHash),
                    .text(accessToken.grantID),
                    .json(.object(accessToken.claims)),
                    .time(accessToken.expiresAt),
                ]
            )
        }
    }

    /// A usable token; see ``/ServerStorage/AccessTokenStore/liveAccessToken(_:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The token; `nil` if it cannot be used, or is unknown.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func liveAccessToken(
        _ tokenHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> StoredAccessToken? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                """
                SELECT token.grant_id, token.claims, token.expires_at
                FROM access_tokens AS token JOIN grants ON grants.id = token.grant_id
                WHERE token.token_hash = ? AND token.expires_at > ? AND grants.revoked_at IS NULL
                """,
                [.hash(tokenHash), .time(now)]
            ) { row throws(StorageError) in
                StoredAccessToken(
                    tokenHash: tokenHash,
                    grantID: try row.text(0),
                    claims: try row.object(1),
                    expiresAt: try row.time(2)
                )
            }
        }
    }
}
#endif
