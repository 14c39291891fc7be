// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Initial access tokens for client registration.
    static let registrationTokens: [SQL] = [
        """
        CREATE TABLE registration_tokens (
            token_hash BLOB NOT NULL PRIMARY KEY,
            uses_left INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX registration_tokens_by_end ON registration_tokens (expires_at)",
    ]
}
#endif
