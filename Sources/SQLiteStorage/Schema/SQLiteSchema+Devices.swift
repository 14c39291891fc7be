// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Pending device authorizations; the interval in milliseconds.
    static let devices: [SQL] = [
        """
        CREATE TABLE device_authorizations (
            device_code_hash BLOB NOT NULL PRIMARY KEY,
            user_code_hash BLOB NOT NULL UNIQUE,
            client_id TEXT NOT NULL,
            scope TEXT NOT NULL,
            resources TEXT NOT NULL,
            authorization_details TEXT NOT NULL,
            dpop_thumbprint TEXT,
            interval INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            polled_at INTEGER,
            denied_at INTEGER,
            grant_id TEXT,
            spent_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX device_authorizations_by_end ON device_authorizations (expires_at)",
    ]
}
#endif
