// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension PostgreSQLSchema {
    /// Sign-ins without a browser, and the clients that may ask for them; programs of before leave both alone.
    static let firstParty: [SQL] = [
        "ALTER TABLE clients ADD COLUMN first_party bigint NOT NULL DEFAULT 0",
        """
        CREATE TABLE first_party_sessions (
            id text COLLATE "C" NOT NULL PRIMARY KEY,
            value_hash bytea NOT NULL,
            client_id text COLLATE "C" NOT NULL,
            subject text COLLATE "C",
            key_thumbprint text COLLATE "C",
            request text NOT NULL,
            progress text NOT NULL,
            grant_id text COLLATE "C",
            ended_by bigint,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX first_party_sessions_by_end ON first_party_sessions (expires_at)",
        """
        CREATE INDEX first_party_sessions_by_subject ON first_party_sessions (subject)
            WHERE subject IS NOT NULL
        """,
        "CREATE INDEX first_party_sessions_by_client ON first_party_sessions (client_id)",
    ]
}
#endif
