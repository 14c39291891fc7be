// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import OAuthSystem
import ServerStorage

extension SQLiteConnection {
    /// Carries out a change with its recording, or neither.
    func recorded<Outcome>(
        _ recording: Recording,
        within capacity: SingleUseCapacity,
        at now: Timestamp,
        _ change: () throws(StorageError) -> Outcome
    ) throws(StorageError) -> Recorded<Outcome> {
        try recording.carryOut(
            using: { entry throws(StorageError) in
                try use(entry, by: recording.attempt, within: capacity, at: now)
            },
            forgetting: forget,
            change,
            storing: insert
        )
    }

    private func use(
        _ entry: SingleUseEntry,
        by attempt: WriteAttempt,
        within capacity: SingleUseCapacity,
        at now: Timestamp
    ) throws(StorageError) -> SingleUseResult {
        guard try insert(entry, by: attempt) else {
            if let epoch = try otherEpoch(than: entry.epoch) { return .otherEpoch(epoch) }
            return try isUsed(entry, by: attempt) ? .recorded : .replayed
        }
        if try count(entry, within: capacity) { return .recorded }
        // Expired entries make space; others are never removed.
        try deleteSingleUses(before: now, atMost: 1000)
        if try count(entry, within: capacity) { return .recorded }
        try run("DELETE FROM replay_keys WHERE digest = ?", [.blob(entry.key.bytes)])
        return .full
    }

    /// Stores an entry without counting it.
    ///
    /// - Returns: `false` if it is already stored, or made for another replay memory.
    private func insert(_ entry: SingleUseEntry, by attempt: WriteAttempt) throws(StorageError) -> Bool {
        try run(
            """
            INSERT INTO replay_keys (digest, owner, expires_at, attempt) SELECT ?1, ?2, ?3, ?4
            WHERE ?5 IS NULL OR EXISTS (SELECT 1 FROM replay_epoch WHERE epoch = ?5)
            ON CONFLICT DO NOTHING
            """,
            [
                .blob(entry.key.bytes), .text(entry.owner), .time(entry.end), .attempt(attempt),
                entry.epoch.map { .blob($0.bytes) } ?? .null,
            ]
        ) == 1
    }

    private func otherEpoch(than epoch: ReplayEpoch?) throws(StorageError) -> ReplayEpoch? {
        guard let epoch, let current = try replayEpoch(), current != epoch else { return nil }
        return current
    }

    private func isUsed(_ entry: SingleUseEntry, by attempt: WriteAttempt) throws(StorageError) -> Bool {
        try row(
            "SELECT 1 FROM replay_keys WHERE digest = ? AND attempt = ?",
            [.blob(entry.key.bytes), .attempt(attempt)]
        ) { _ throws(StorageError) in true } ?? false
    }

    /// Takes back an entry of a change that is not carried out.
    private func forget(_ entry: SingleUseEntry) throws(StorageError) {
        try run("DELETE FROM replay_keys WHERE digest = ?", [.blob(entry.key.bytes)])
        try decrease(entry.owner)
        try decrease(entry.pool.prefix)
    }

    /// Counts a stored entry.
    ///
    /// - Returns: `false`, without counting, if a limit is reached.
    private func count(_ entry: SingleUseEntry, within capacity: SingleUseCapacity) throws(StorageError) -> Bool {
        guard try increase(entry.owner, to: capacity.perOwner) else { return false }
        if try increase(entry.pool.prefix, to: capacity.all(entry.pool)) { return true }
        try decrease(entry.owner)
        return false
    }

    /// Deletes expired entries.
    ///
    /// - Returns: How many were deleted.
    @discardableResult
    func deleteSingleUses(before now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        let owners = try rows(
            """
            DELETE FROM replay_keys WHERE digest IN
                (SELECT digest FROM replay_keys WHERE expires_at < ? ORDER BY expires_at LIMIT ?)
            RETURNING owner
            """,
            [.time(now), .count(limit)]
        ) { row throws(StorageError) in try row.text(0) }
        for owner in owners {
            try decrease(owner)
            try decrease(SingleUseEntry.Pool.of(owner: owner).prefix)
        }
        return owners.count
    }

    private func increase(_ owner: String, to capacity: Int) throws(StorageError) -> Bool {
        guard capacity > 0 else { return false }
        return try run(
            """
            INSERT INTO replay_counts (owner, count) VALUES (?, 1)
            ON CONFLICT (owner) DO UPDATE SET count = count + 1 WHERE count < ?
            """,
            [.text(owner), .count(capacity)]
        ) == 1
    }

    private func decrease(_ owner: String) throws(StorageError) {
        try run("UPDATE replay_counts SET count = count - 1 WHERE owner = ?", [.text(owner)])
        try run("DELETE FROM replay_counts WHERE owner = ? AND count <= 0", [.text(owner)])
    }
}
#endif
