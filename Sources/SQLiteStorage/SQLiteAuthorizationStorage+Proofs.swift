// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import DPoP
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// The current secrets; see ``/ServerStorage/NonceSecretStore/nonceSecrets(replacingAfter:with:at:)``.
    ///
    /// - Parameters:
    ///   - age: The age at which a secret gets a successor.
    ///   - proposed: The secret to store if there is none, or the newest is old.
    ///   - now: The time.
    /// - Returns: One or two secrets, the newest first.
    /// - Throws: ``/ServerStorage/StorageError``.
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

    /// Stores a proof; see ``/DPoP/ReplayStore/insert(_:until:now:)``.
    ///
    /// - Parameters:
    ///   - key: The replay key.
    ///   - end: Until when it is stored.
    ///   - now: The time.
    /// - Returns: Whether the proof was new.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp
    ) async throws(StorageError) -> ReplayInsertion {
        try await ReplayPool.granted.insert(
            key,
            until: end,
            now: now,
            all: replayCapacity,
            perKey: replayCapacityPerKey,
            writer
        )
    }

    /// Stores the proofs of pushed requests, in the same database.
    ///
    /// See ``/ServerStorage/AuthorizationStorage/pushedReplay``.
    public var pushedReplay: any ReplayStore { SQLitePushedReplay(writer: writer) }
}

extension SQLiteConnection {
    /// The two newest secrets, the newest first.
    fileprivate func nonceSecrets() throws(StorageError) -> [(secret: DPoPNonceSecret, since: Timestamp)] {
        try rows("SELECT number, secret, created_at FROM nonce_secrets ORDER BY position DESC LIMIT 2") {
            row throws(StorageError) in (try DPoPNonceSecret(row: row), try row.time(2))
        }
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
