// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension SQLiteSchema {
    /// Wrong passwords and user codes, which a restart does not forget.
    static let attempts: [SQL] = [
        """
        CREATE TABLE attempts (
            key BLOB NOT NULL PRIMARY KEY,
            count INTEGER NOT NULL,
            time INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX attempts_by_end ON attempts (expires_at)",
    ]
}
#endif
