// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import DPoP
public import JOSE

extension SQLiteAuthorizationStorage {
    /// The secrets in use; see ``/AuthorizationServer/NonceSecretStore/nonceSecrets(replacingAfter:with:at:)``.
    ///
    /// - Parameters:
    ///   - age: A secret older than this gets a successor.
    ///   - proposed: The secret that is stored when there is none, or the newest is old.
    ///   - now: The time.
    /// - Returns: One or two secrets, the newest first.
    /// - Throws: ``StorageError``.
    public func nonceSecrets(
        replacingAfter age: Duration,
        with proposed: DPoPNonceSecret,
        at now: Timestamp
    ) async throws(StorageError) -> [DPoPNonceSecret] {
        try await writer.write { connection throws(StorageError) in
            let stored = try connection.nonceSecrets()
            guard stored.first.map({ $0.since + age <= now }) ?? true else { return stored.map(\.secret) }
            let secret = stored.first.map { proposed.following($0.secret) } ?? proposed
            try connection.run(
                "INSERT INTO nonce_secrets (number, secret, created_at) VALUES (?, ?, ?)",
                [.integer(Int64(secret.number)), .blob(secret.bytes), .time(now)]
            )
            try connection.run(
                """
                DELETE FROM nonce_secrets WHERE position NOT IN
                    (SELECT position FROM nonce_secrets ORDER BY position DESC LIMIT 2)
                """
            )
            return [secret] + stored.prefix(1).map(\.secret)
        }
    }

    /// Remembers a proof; see ``/DPoP/ReplayStore/insert(_:until:now:)``.
    ///
    /// - Parameters:
    ///   - key: What is remembered.
    ///   - end: Until when.
    ///   - now: The time.
    /// - Returns: Whether the proof was new.
    /// - Throws: ``StorageError``.
    public func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp
    ) async throws(StorageError) -> ReplayInsertion {
        let (all, perKey) = (replayCapacity, replayCapacityPerKey)
        return try await writer.write { connection throws(StorageError) in
            guard try connection.insert(key, until: end) else { return .replayed }
            if try connection.countReplayKey(of: key.owner, all: all, perKey: perKey) { return .inserted }
            // What is over makes room; what is not never does.
            try connection.deleteReplayKeys(before: now, atMost: 1000)
            if try connection.countReplayKey(of: key.owner, all: all, perKey: perKey) { return .inserted }
            try connection.run("DELETE FROM replay_keys WHERE digest = ?", [.blob(key.bytes)])
            return .full
        }
    }
}

extension SQLiteConnection {
    /// The two newest secrets, the newest first.
    fileprivate func nonceSecrets() throws(StorageError) -> [(secret: DPoPNonceSecret, since: Timestamp)] {
        try rows("SELECT number, secret, created_at FROM nonce_secrets ORDER BY position DESC LIMIT 2") {
            row throws(StorageError) in (try DPoPNonceSecret(row: row), try row.time(2))
        }
    }

    /// Stores a replay key, uncounted yet.
    ///
    /// - Returns: `false` when it is stored already.
    fileprivate func insert(_ key: ReplayKey, until end: Timestamp) throws(StorageError) -> Bool {
        try run(
            "INSERT INTO replay_keys (digest, owner, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [.blob(key.bytes), .text(key.owner.description), .time(end)]
        ) == 1
    }

    /// Counts a replay key that was stored.
    ///
    /// - Returns: `false`, and nothing is counted, when there are as many as there may be.
    fileprivate func countReplayKey(
        of owner: JWKThumbprint,
        all: Int,
        perKey: Int
    ) throws(StorageError) -> Bool {
        guard try increase(owner.description, to: perKey) else { return false }
        if try increase(Self.everyOwner, to: all) { return true }
        try decrease(owner.description)
        return false
    }

    /// Deletes replay keys whose end is past.
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
            try decrease(Self.everyOwner)
        }
        return owners.count
    }

    private static let everyOwner = ""

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

extension DPoPNonceSecret {
    fileprivate init(row: SQLiteRow) throws(StorageError) {
        guard let number = UInt8(exactly: try row.integer(0)) else { throw .unreadable(row.name(of: 0)) }
        let bytes = try row.blob(1)
        guard bytes.count == 32 else { throw .unreadable(row.name(of: 1)) }
        self.init(number: number, bytes: bytes)
    }
}
#endif
