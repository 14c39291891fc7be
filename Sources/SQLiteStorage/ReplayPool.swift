// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import OAuthSystem
import ServerStorage

/// A set of proofs with its own limits.
///
/// All pools share one table, so no proof can be used twice. A prefix of the owner's name separates the pools; no
/// thumbprint has such a prefix.
enum ReplayPool: String {
    /// Proofs sent with a valid code, token or assertion.
    case granted = ""
    /// Proofs of pushed requests, which any client can send.
    case pushed = "pushed:"

    /// Stores a proof.
    ///
    /// - Parameters:
    ///   - key: The replay key.
    ///   - end: Until when it is stored.
    ///   - now: The time.
    ///   - all: The capacity of the pool.
    ///   - perKey: The limit for one key.
    ///   - writer: The connection for writing.
    /// - Returns: Whether the proof was new.
    /// - Throws: ``StorageError``.
    func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp,
        all: Int,
        perKey: Int,
        _ writer: SQLiteWriter
    ) async throws(StorageError) -> ReplayInsertion {
        try await writer.write { connection throws(StorageError) in
            let owner = rawValue + key.owner.description
            guard try connection.insert(key, of: owner, until: end) else { return .replayed }
            if try connection.countReplayKey(of: owner, in: rawValue, all: all, perKey: perKey) { return .inserted }
            // Expired entries make space; others are never removed.
            try connection.deleteReplayKeys(before: now, atMost: 1000)
            if try connection.countReplayKey(of: owner, in: rawValue, all: all, perKey: perKey) { return .inserted }
            try connection.run("DELETE FROM replay_keys WHERE digest = ?", [.blob(key.bytes)])
            return .full
        }
    }

    /// The name of a pool's total count.
    fileprivate static func total(of owner: String) -> String {
        owner.hasPrefix(pushed.rawValue) ? pushed.rawValue : granted.rawValue
    }
}

extension SQLiteConnection {
    /// Stores a replay key without counting it.
    ///
    /// - Returns: `false` if it is already stored.
    fileprivate func insert(_ key: ReplayKey, of owner: String, until end: Timestamp) throws(StorageError) -> Bool {
        try run(
            "INSERT INTO replay_keys (digest, owner, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [.blob(key.bytes), .text(owner), .time(end)]
        ) == 1
    }

    /// Counts a stored replay key.
    ///
    /// - Returns: `false`, without counting, if the limit is reached.
    fileprivate func countReplayKey(
        of owner: String,
        in total: String,
        all: Int,
        perKey: Int
    ) throws(StorageError) -> Bool {
        guard try increase(owner, to: perKey) else { return false }
        if try increase(total, to: all) { return true }
        try decrease(owner)
        return false
    }

    /// Deletes expired replay keys.
    ///
    /// - Returns: How many were deleted.
    @discardableResult
    func deleteReplayKeys(before now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
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
            try decrease(ReplayPool.total(of: owner))
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
