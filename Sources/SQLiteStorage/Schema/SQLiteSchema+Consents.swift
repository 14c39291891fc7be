// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Consents, how users authenticated, and the browser of a request.
    ///
    /// Sessions from before this migration were authenticated with a password.
    static let consents: [SQL] = [
        """
        CREATE TABLE consents (
            subject TEXT NOT NULL,
            client_id TEXT NOT NULL,
            details_hash BLOB NOT NULL,
            scope TEXT NOT NULL,
            remembered_at INTEGER NOT NULL,
            PRIMARY KEY (subject, client_id, details_hash)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX grants_by_person ON grants (subject, client_id) WHERE revoked_at IS NULL",
        """
        ALTER TABLE sessions ADD COLUMN acr TEXT
            DEFAULT 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'
        """,
        "ALTER TABLE sessions ADD COLUMN amr TEXT NOT NULL DEFAULT '[\"pwd\"]'",
        """
        ALTER TABLE grants ADD COLUMN acr TEXT
            DEFAULT 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'
        """,
        "ALTER TABLE grants ADD COLUMN amr TEXT NOT NULL DEFAULT '[\"pwd\"]'",
        "ALTER TABLE authorization_requests ADD COLUMN browser_hash BLOB",
        """
        CREATE INDEX authorization_requests_by_browser ON authorization_requests (browser_hash)
            WHERE browser_hash IS NOT NULL
        """,
    ]
}
#endif
