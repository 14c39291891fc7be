// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import OAuthSystem
import ServerStorage

extension PostgreSQLConnection {
    /// Carries out a change with its recording, or neither.
    func recorded<Outcome>(
        _ recording: Recording,
        within counts: SingleUseCounts,
        at now: Timestamp,
        _ change: () throws(StorageError) -> Outcome
    ) throws(StorageError) -> Recorded<Outcome> {
        try recording.carryOut(
            using: { entry throws(StorageError) in
                try use(entry, by: recording.attempt, within: counts, at: now)
            },
            forgetting: delete,
            change,
            storing: insert
        )
    }

    private func use(
        _ entry: SingleUseEntry,
        by attempt: WriteAttempt,
        within counts: SingleUseCounts,
        at now: Timestamp
    ) throws(StorageError) -> SingleUseResult {
        guard try insert(entry, by: attempt) else {
            if let epoch = try otherEpoch(than: entry.epoch, at: now) { return .otherEpoch(epoch) }
            return try isUsed(entry, by: attempt) ? .recorded : .replayed
        }
        if counts.hasSpace(for: entry, at: now) { return .recorded }
        try delete(entry)
        return .full
    }

    /// Stores an entry; waits for another transaction that is storing the same one.
    ///
    /// - Returns: `false` if it is already stored, or made for another replay memory.
    private func insert(_ entry: SingleUseEntry, by attempt: WriteAttempt) throws(StorageError) -> Bool {
        let values: [StoredValue] = [
            .blob(entry.key.bytes), .text(entry.owner), .time(entry.end), .attempt(attempt),
        ]
        guard let epoch = entry.epoch else {
            return try run(
                """
                INSERT INTO replay_keys (digest, owner, expires_at, attempt) VALUES ($1, $2, $3, $4)
                ON CONFLICT DO NOTHING
                """,
                values
            ) == 1
        }
        return try run(
            """
            INSERT INTO replay_proofs (digest, owner, expires_at, attempt) SELECT $1, $2, $3, $4
            WHERE EXISTS (SELECT 1 FROM replay_epoch WHERE epoch = $5)
            ON CONFLICT DO NOTHING
            """,
            values + [.blob(epoch.bytes)]
        ) == 1
    }

    /// The current memory, if a nonce was made for another one; a crash may have left none.
    private func otherEpoch(than epoch: ReplayEpoch?, at now: Timestamp) throws(StorageError) -> ReplayEpoch? {
        guard let epoch else { return nil }
        let current = try startEpochIfMissing(ReplayEpoch(startingAt: now, entropy: SystemEntropy()))
        return current == epoch ? nil : current
    }

    private func isUsed(_ entry: SingleUseEntry, by attempt: WriteAttempt) throws(StorageError) -> Bool {
        let values: [StoredValue] = [.blob(entry.key.bytes), .attempt(attempt)]
        let found: Bool? =
            if entry.epoch == nil {
                try row("SELECT 1 FROM replay_keys WHERE digest = $1 AND attempt = $2", values) {
                    _ throws(StorageError) in true
                }
            } else {
                try row("SELECT 1 FROM replay_proofs WHERE digest = $1 AND attempt = $2", values) {
                    _ throws(StorageError) in true
                }
            }
        return found ?? false
    }

    private func delete(_ entry: SingleUseEntry) throws(StorageError) {
        if entry.epoch == nil {
            try later("DELETE FROM replay_keys WHERE digest = $1", [.blob(entry.key.bytes)])
        } else {
            try later("DELETE FROM replay_proofs WHERE digest = $1", [.blob(entry.key.bytes)])
        }
    }

    /// Deletes expired entries.
    ///
    /// - Returns: How many were deleted.
    func deleteSingleUses(before now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        let proofs = try run(
            """
            DELETE FROM replay_proofs WHERE digest = ANY (ARRAY
                (SELECT digest FROM replay_proofs WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
                FOR UPDATE SKIP LOCKED))
            """,
            [.time(now), .count(limit)]
        )
        return try proofs
            + run(
                """
                DELETE FROM replay_keys WHERE digest = ANY (ARRAY
                    (SELECT digest FROM replay_keys WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
                    FOR UPDATE SKIP LOCKED))
                """,
                [.time(now), .count(limit - proofs)]
            )
    }
}
#endif
