// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// One row for each grant with its refresh tokens, single uses with the change that they belong to, what clients may
    /// register themselves for, and the secrets and the replay memory that all servers of a database share.
    ///
    /// Codes and tokens name their grant from this version on. Earlier ones cannot be read any more, so they are
    /// deleted: apps sign in once more. Accounts, clients, consents and keys stay.
    static let sharedNodes: [SQL] = [
        "DROP TABLE refresh_tokens",
        "DROP TABLE codes",
        "DELETE FROM access_tokens",
        "DELETE FROM device_authorizations",
        "DELETE FROM replay_keys",
        "DELETE FROM replay_counts",
        "DROP INDEX empty_grants",
        "ALTER TABLE grants DROP COLUMN is_empty",
        // The last access tokens still find their grant for a day.
        "UPDATE grants SET expires_at = (unixepoch() + 86400) * 1000 WHERE expires_at IS NULL",
        "ALTER TABLE grants ADD COLUMN family_hash BLOB",
        "ALTER TABLE grants ADD COLUMN refresh_scope TEXT",
        "ALTER TABLE grants ADD COLUMN was_unbound INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE grants ADD COLUMN refresh_hash BLOB",
        "ALTER TABLE grants ADD COLUMN refresh_thumbprint TEXT",
        "ALTER TABLE grants ADD COLUMN refresh_ends INTEGER",
        "ALTER TABLE grants ADD COLUMN previous_hash BLOB",
        "ALTER TABLE grants ADD COLUMN previous_thumbprint TEXT",
        "ALTER TABLE grants ADD COLUMN previous_ends INTEGER",
        "ALTER TABLE grants ADD COLUMN rotated_at INTEGER",
        "ALTER TABLE grants ADD COLUMN reissues INTEGER NOT NULL DEFAULT 0",
        """
        CREATE TABLE codes (
            code_hash BLOB NOT NULL PRIMARY KEY,
            grant_id TEXT NOT NULL,
            client_id TEXT NOT NULL,
            redirect_uri TEXT NOT NULL,
            code_challenge TEXT NOT NULL,
            code_challenge_method TEXT NOT NULL,
            dpop_thumbprint TEXT,
            nonce TEXT,
            expires_at INTEGER NOT NULL,
            used_by INTEGER,
            UNIQUE (client_id, code_challenge)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX codes_by_end ON codes (expires_at)",
        "ALTER TABLE authorization_requests ADD COLUMN used_by INTEGER",
        "ALTER TABLE device_authorizations DROP COLUMN grant_id",
        "ALTER TABLE device_authorizations DROP COLUMN spent_at",
        "ALTER TABLE device_authorizations DROP COLUMN denied_at",
        "ALTER TABLE device_authorizations ADD COLUMN denied_by INTEGER",
        "ALTER TABLE device_authorizations ADD COLUMN grant_id TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE device_authorizations ADD COLUMN allowed_at INTEGER",
        "ALTER TABLE device_authorizations ADD COLUMN used_by INTEGER",
        "ALTER TABLE device_authorizations ADD COLUMN polled_by INTEGER",
        "ALTER TABLE device_authorizations ADD COLUMN polled_too_soon INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE replay_keys ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE registration_tokens ADD COLUMN scope TEXT",
        "ALTER TABLE registration_tokens ADD COLUMN allows_bearer INTEGER NOT NULL DEFAULT 0",
        """
        CREATE TABLE replay_epoch (
            one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
            epoch BLOB NOT NULL,
            since INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE shard_secret (
            one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
            secret BLOB NOT NULL
        ) STRICT
        """,
    ]
}
#endif
