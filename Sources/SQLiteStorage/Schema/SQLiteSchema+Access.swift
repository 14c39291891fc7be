// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// The APIs of a grant, its authorization details, opaque access tokens, and requirements for the requests of
    /// clients.
    static let access: [SQL] = [
        "ALTER TABLE grants ADD COLUMN resources TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE grants ADD COLUMN authorization_details TEXT NOT NULL DEFAULT '[]'",
        // No foreign key to the grant: a token may be stored first, and the join of every look-up needs both.
        """
        CREATE TABLE access_tokens (
            token_hash BLOB NOT NULL PRIMARY KEY,
            grant_id TEXT NOT NULL,
            claims TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX access_tokens_by_end ON access_tokens (expires_at)",
        "ALTER TABLE clients ADD COLUMN authorization_details_types TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE clients ADD COLUMN request_object_signing_alg TEXT",
        "ALTER TABLE clients ADD COLUMN require_signed_request_object INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE clients ADD COLUMN dpop_bound_authorization_codes INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE clients ADD COLUMN dpop_nonce_policy TEXT",
    ]
}
#endif
