// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension PostgreSQLSchema {
    /// Proofs and assertions that were used, and how many there are.
    ///
    /// A proof whose nonce names a replay memory is recorded without a log, together with that memory: both are gone
    /// after a crash and on a standby that was promoted, and then no proof from before is accepted. What has no nonce,
    /// assertions above all, is logged.
    static let singleUses: [SQL] = [
        """
        CREATE UNLOGGED TABLE replay_epoch (
            one bigint NOT NULL PRIMARY KEY CHECK (one = 1),
            epoch bytea NOT NULL,
            since bigint NOT NULL
        )
        """,
        """
        CREATE UNLOGGED TABLE replay_proofs (
            digest bytea NOT NULL PRIMARY KEY,
            owner text COLLATE "C" NOT NULL,
            expires_at bigint NOT NULL,
            attempt bigint NOT NULL
        )
        """,
        "CREATE INDEX replay_proofs_by_end ON replay_proofs (expires_at)",
        """
        CREATE TABLE replay_keys (
            digest bytea NOT NULL PRIMARY KEY,
            owner text COLLATE "C" NOT NULL,
            expires_at bigint NOT NULL,
            attempt bigint NOT NULL
        )
        """,
        "CREATE INDEX replay_keys_by_end ON replay_keys (expires_at)",
        // Not used any more: each server counts in its memory. Programs of schema version 2 that counted here may still
        // run beside this one.
        """
        CREATE UNLOGGED TABLE replay_counts (
            owner text COLLATE "C" NOT NULL,
            part bigint NOT NULL,
            count bigint NOT NULL,
            PRIMARY KEY (owner, part)
        ) WITH (fillfactor = 50)
        """,
    ]
}
#endif
