// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension PostgreSQLSchema {
    /// Wrong passwords and user codes, in a table without a log: a crash gives ten more guesses.
    ///
    /// Programs of before count in their own memory and leave it alone.
    static let attempts: [SQL] = [
        """
        CREATE UNLOGGED TABLE attempts (
            key bytea NOT NULL PRIMARY KEY,
            count bigint NOT NULL,
            time bigint NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX attempts_by_end ON attempts (expires_at)",
    ]
}
#endif
