// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Where clients come from and run, the web origins of apps in a browser, and who changed a client last.
    static let clientOrigins: [SQL] = [
        "ALTER TABLE clients ADD COLUMN origin TEXT NOT NULL DEFAULT 'operator'",
        "ALTER TABLE clients ADD COLUMN application_type TEXT",
        "ALTER TABLE clients ADD COLUMN allowed_web_origins TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE clients ADD COLUMN changed_by INTEGER",
        // The same origins, found without a client: a preflight request names none.
        """
        CREATE TABLE web_origins (
            origin TEXT NOT NULL,
            client_id TEXT NOT NULL,
            PRIMARY KEY (origin, client_id)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX web_origins_by_client ON web_origins (client_id)",
    ]
}
#endif
