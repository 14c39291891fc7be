// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
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
        try await writer.write { connection throws(StorageError) in
            var found: [AttemptState?] = []
            for key in keys { found.append(try connection.attempts(of: key, at: now)) }
            var states = found
            let outcome = rule(&states)
            for index in keys.indices where states[index] != found[index] {
                try connection.store(states[index], of: keys[index])
            }
            return outcome
        }
    }
}

extension SQLiteConnection {
    fileprivate func attempts(of key: AttemptKey, at now: Timestamp) throws(StorageError) -> AttemptState? {
        try row(
            "SELECT count, time, expires_at FROM attempts WHERE key = ? AND expires_at > ?",
            [.blob(key.bytes), .time(now)]
        ) { row throws(StorageError) in
            AttemptState(count: try row.count(0), time: try row.time(1), expiresAt: try row.time(2))
        }
    }

    fileprivate func store(_ state: AttemptState?, of key: AttemptKey) throws(StorageError) {
        guard let state else {
            try run("DELETE FROM attempts WHERE key = ?", [.blob(key.bytes)])
            return
        }
        try run(
            "INSERT OR REPLACE INTO attempts (key, count, time, expires_at) VALUES (?, ?, ?, ?)",
            [.blob(key.bytes), .count(state.count), .time(state.time), .time(state.expiresAt)]
        )
    }
}
#endif
