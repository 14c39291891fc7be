// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// Changes what is known about some keys; see ``/ServerStorage/AttemptStore/changeAttempts(of:at:by:)``.
    ///
    /// - Parameters:
    ///   - keys: One to eight different keys.
    ///   - now: The time.
    ///   - rule: Reads and changes the states.
    /// - Returns: What the rule returned.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func changeAttempts<Outcome: Sendable>(
        of keys: [AttemptKey],
        at now: Timestamp,
        by rule: @escaping @Sendable (_ states: inout [AttemptState?]) -> Outcome
    ) async throws(StorageError) -> Outcome {
        try await pool.write { connection throws(StorageError) in
            // Most calls in a flood are told to wait and change nothing: those lock and write nothing.
            let seen = try connection.attempts(of: keys, at: now)
            var states = seen
            let outcome = rule(&states)
            if states == seen { return outcome }

            for key in Set(keys).sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
                try connection.lock(key)
            }
            let current = try connection.attempts(of: keys, at: now)
            states = current
            let counted = rule(&states)
            for index in keys.indices where states[index] != current[index] {
                try connection.store(states[index], of: keys[index])
            }
            return counted
        }
    }
}

extension PostgreSQLConnection {
    fileprivate func attempts(of keys: [AttemptKey], at now: Timestamp) throws(StorageError) -> [AttemptState?] {
        var states: [AttemptState?] = []
        for key in keys {
            let state = try row(
                "SELECT count, time, expires_at FROM attempts WHERE key = $1 AND expires_at > $2",
                [.blob(key.bytes), .time(now)]
            ) { row throws(StorageError) in
                AttemptState(count: try row.count(0), time: try row.time(1), expiresAt: try row.time(2))
            }
            states.append(state)
        }
        return states
    }

    /// Locks a key until the transaction ends, also one without a row.
    fileprivate func lock(_ key: AttemptKey) throws(StorageError) {
        try later(
            "SELECT pg_advisory_xact_lock(hashtextextended('attempts ' || encode($1::bytea, 'hex'), 0))",
            [.blob(key.bytes)]
        )
    }

    fileprivate func store(_ state: AttemptState?, of key: AttemptKey) throws(StorageError) {
        guard let state else {
            try run("DELETE FROM attempts WHERE key = $1", [.blob(key.bytes)])
            return
        }
        try run(
            """
            INSERT INTO attempts (key, count, time, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (key) DO UPDATE
                SET count = excluded.count, time = excluded.time, expires_at = excluded.expires_at
            """,
            [.blob(key.bytes), .count(state.count), .time(state.time), .time(state.expiresAt)]
        )
    }
}
#endif
