// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Token signing keys, and the creation times of nonce secrets; lifetimes in milliseconds.
    static let signingKeys: [SQL] = [
        """
        CREATE TABLE signing_keys (
            key_id TEXT NOT NULL PRIMARY KEY,
            algorithm TEXT NOT NULL,
            public_key TEXT NOT NULL,
            sealed_key BLOB NOT NULL,
            published_at INTEGER NOT NULL,
            active_from INTEGER NOT NULL,
            token_lifetime INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        // A secret of an earlier version counts as old: it gets a successor at once, and both stay valid.
        "ALTER TABLE nonce_secrets ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0",
    ]
}
#endif
