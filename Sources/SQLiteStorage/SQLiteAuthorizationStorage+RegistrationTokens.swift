// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// Stores a new token; see ``/ServerStorage/RegistrationTokenStore/add(_:)``.
    ///
    /// - Parameter token: The token.
    /// - Throws: ``/ServerStorage/StorageError``; also if another token with that hash is stored.
    public func add(_ token: StoredRegistrationToken) async throws(StorageError) {
        try await writer.write { connection throws(StorageError) -> Void in
            let isNew =
                try connection.run(
                    """
                    INSERT INTO registration_tokens (token_hash, uses_left, expires_at, scope, allows_bearer)
                    VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at
                        WHERE uses_left = excluded.uses_left AND expires_at = excluded.expires_at
                        AND scope IS excluded.scope AND allows_bearer = excluded.allows_bearer
                    """,
                    token.storedValues
                ) == 1
            guard isNew else { throw .isStoredOtherwise("the registration token") }
        }
    }

    /// What a client may register itself for; see ``/ServerStorage/RegistrationTokenStore/registrationPolicy(of:at:)``.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: `nil` if the token is unknown, expired or has no uses left.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func registrationPolicy(
        of tokenHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> RegistrationTokenPolicy? {
        try await reader.perform { connection throws(StorageError) in
            try connection.row(
                """
                SELECT scope, allows_bearer FROM registration_tokens
                WHERE token_hash = ? AND uses_left > 0 AND expires_at > ?
                """,
                [.hash(tokenHash), .time(now)]
            ) { row throws(StorageError) in
                try RegistrationTokenPolicy(row: row)
            }
        }
    }

    /// Stores a new client and uses the token; see ``/ServerStorage/RegistrationTokenStore/register(_:with:at:)``.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - tokenHash: The hash of the token.
    ///   - now: The time.
    /// - Returns: The outcome.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func register(
        _ client: RegisteredClient,
        with tokenHash: SecretHash,
        at now: Timestamp
    ) async throws(StorageError) -> ClientRegistrationOutcome {
        try await writer.write { connection throws(StorageError) in
            if try connection.isRegistered(client) { return .registered }
            let isUsed =
                try connection.run(
                    """
                    UPDATE registration_tokens SET uses_left = uses_left - 1
                    WHERE token_hash = ? AND uses_left > 0 AND expires_at > ?
                    """,
                    [.hash(tokenHash), .time(now)]
                ) == 1
            guard isUsed else { return .refused }
            guard try connection.insert(client) else {
                try connection.run(
                    "UPDATE registration_tokens SET uses_left = uses_left + 1 WHERE token_hash = ?",
                    [.hash(tokenHash)]
                )
                return .taken
            }
            return .registered
        }
    }

    /// Lists the tokens that can be used; see ``/ServerStorage/RegistrationTokenStore/registrationTokens(at:)``.
    ///
    /// - Parameter now: The time.
    /// - Returns: The tokens; those that expire first come first.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func registrationTokens(at now: Timestamp) async throws(StorageError) -> [StoredRegistrationToken] {
        try await reader.perform { connection throws(StorageError) in
            try connection.rows(
                """
                SELECT token_hash, uses_left, expires_at, scope, allows_bearer FROM registration_tokens
                WHERE uses_left > 0 AND expires_at > ? ORDER BY expires_at, token_hash
                """,
                [.time(now)],
                read: StoredRegistrationToken.init(row:)
            )
        }
    }

    /// Removes a token; see ``/ServerStorage/RegistrationTokenStore/removeRegistrationToken(_:)``.
    ///
    /// - Parameter tokenHash: The hash of the token.
    /// - Returns: `false` if there is no such token.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func removeRegistrationToken(_ tokenHash: SecretHash) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            try connection.run(
                "DELETE FROM registration_tokens WHERE token_hash = ?",
                [.hash(tokenHash)]
            ) == 1
        }
    }
}
#endif
