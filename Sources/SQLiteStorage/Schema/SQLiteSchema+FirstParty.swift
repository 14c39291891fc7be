// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Sign-ins without a browser, and the clients that may ask for them.
    static let firstParty: [SQL] = [
        "ALTER TABLE clients ADD COLUMN first_party INTEGER NOT NULL DEFAULT 0",
        """
        CREATE TABLE first_party_sessions (
            id TEXT NOT NULL PRIMARY KEY,
            value_hash BLOB NOT NULL,
            client_id TEXT NOT NULL,
            subject TEXT,
            key_thumbprint TEXT,
            request TEXT NOT NULL,
            progress TEXT NOT NULL,
            grant_id TEXT,
            ended_by INTEGER,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX first_party_sessions_by_end ON first_party_sessions (expires_at)",
        "CREATE INDEX first_party_sessions_by_subject ON first_party_sessions (subject) WHERE subject IS NOT NULL",
        "CREATE INDEX first_party_sessions_by_client ON first_party_sessions (client_id)",
    ]
}
#endif
