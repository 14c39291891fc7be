// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// The schema of ``SQLiteAuthorizationStorage``: times in milliseconds since 1970, secrets as SHA-256.
    static let authorization = SQLiteSchema(
        // "Kbnd" in ASCII.
        applicationID: 0x4B62_6E64,
        migrations: [
            version1, version2, version3, version4, version5, version6, version7, version8, version9, version10,
            version11,
        ]
    )

    private static let version1: [SQL] = accounts + requests + grants + proofs

    /// OpenID Connect.
    private static let version2: [SQL] = [
        "ALTER TABLE clients ADD COLUMN id_token_signed_response_alg TEXT",
        "ALTER TABLE clients ADD COLUMN post_logout_redirect_uris TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE sessions ADD COLUMN request_hash BLOB",
        "ALTER TABLE codes ADD COLUMN nonce TEXT",
    ]

    /// The whole authorization server; one file per noun.
    private static let version3: [SQL] =
        confidentialClients + signingKeys + consents + devices + tokenExchange + access + registrationTokens

    private static let version4: [SQL] = ownGrants

    private static let version5: [SQL] = sharedNodes

    private static let version6: [SQL] = clientOrigins

    private static let version7: [SQL] = clientLives

    private static let version8: [SQL] = firstParty

    private static let version9: [SQL] = attempts

    private static let version10: [SQL] = clientKeySets

    private static let version11: [SQL] = userClaims

    private static let accounts: [SQL] = [
        """
        CREATE TABLE clients (
            client_id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            redirect_uris TEXT NOT NULL,
            scope TEXT NOT NULL,
            dpop_bound_access_tokens INTEGER NOT NULL,
            require_pushed_authorization_requests INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE users (
            subject TEXT NOT NULL PRIMARY KEY,
            username TEXT NOT NULL UNIQUE,
            password_hash TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE sessions (
            id_hash BLOB NOT NULL PRIMARY KEY,
            subject TEXT NOT NULL,
            authenticated_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX sessions_by_end ON sessions (expires_at)",
    ]

    private static let requests: [SQL] = [
        """
        CREATE TABLE authorization_requests (
            handle_hash BLOB NOT NULL PRIMARY KEY,
            request TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX authorization_requests_by_end ON authorization_requests (expires_at)",
    ]

    private static let grants: [SQL] = [
        """
        CREATE TABLE grants (
            id TEXT NOT NULL PRIMARY KEY,
            client_id TEXT NOT NULL,
            subject TEXT NOT NULL,
            scope TEXT NOT NULL,
            authenticated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            revoked_at INTEGER,
            is_empty INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX empty_grants ON grants (is_empty) WHERE is_empty = 1",
        """
        CREATE TABLE codes (
            code_hash BLOB NOT NULL PRIMARY KEY,
            grant_id TEXT NOT NULL REFERENCES grants (id),
            client_id TEXT NOT NULL,
            redirect_uri TEXT NOT NULL,
            code_challenge TEXT NOT NULL,
            code_challenge_method TEXT NOT NULL,
            dpop_thumbprint TEXT,
            expires_at INTEGER NOT NULL,
            spent_at INTEGER,
            UNIQUE (client_id, code_challenge)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX codes_by_grant ON codes (grant_id)",
        "CREATE INDEX codes_by_end ON codes (expires_at)",
        """
        CREATE TABLE refresh_tokens (
            token_hash BLOB NOT NULL PRIMARY KEY,
            grant_id TEXT NOT NULL REFERENCES grants (id),
            client_id TEXT NOT NULL,
            scope TEXT NOT NULL,
            dpop_thumbprint TEXT,
            expires_at INTEGER NOT NULL,
            spent_at INTEGER,
            successor_hash BLOB,
            was_replaced INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX refresh_tokens_by_grant ON refresh_tokens (grant_id)",
        "CREATE INDEX refresh_tokens_by_end ON refresh_tokens (expires_at)",
    ]

    private static let proofs: [SQL] = [
        """
        CREATE TABLE nonce_secrets (
            position INTEGER NOT NULL PRIMARY KEY,
            number INTEGER NOT NULL,
            secret BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE replay_keys (
            digest BLOB NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX replay_keys_by_end ON replay_keys (expires_at)",
        // The number of replay keys per owner; the empty name has the total.
        """
        CREATE TABLE replay_counts (
            owner TEXT NOT NULL PRIMARY KEY,
            count INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
    ]
}
#endif
