// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import DPoP
public import OAuthSystem
public import ServerStorage

extension SQLiteAuthorizationStorage {
    /// The current secrets; see ``/ServerStorage/NonceSecretStore/nonceSecrets(replacingAfter:with:starting:at:)``.
    ///
    /// - Parameters:
    ///   - age: The age at which a secret gets a successor.
    ///   - proposed: The secret to store if there is none, or the newest is old.
    ///   - epoch: The replay memory to start if there is none.
    ///   - now: The time.
    /// - Returns: One or two secrets, the newest first, and the replay memory.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func nonceSecrets(
        replacingAfter age: Duration,
        with proposed: DPoPNonceSecret,
        starting epoch: ReplayEpoch,
        at now: Timestamp
    ) async throws(StorageError) -> DPoPNonceSecrets {
        try await writer.write { connection throws(StorageError) in
            let memory = try connection.replayEpoch() ?? epoch
            if memory == epoch { try connection.store(epoch) }
            let stored = try connection.nonceSecrets()
            guard stored.first.map({ $0.since + age <= now }) ?? true else {
                return DPoPNonceSecrets(stored.map(\.secret), epoch: memory)
            }
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
            return DPoPNonceSecrets([secret] + stored.prefix(1).map(\.secret), epoch: memory)
        }
    }

    /// The secret of the shards; see ``/ServerStorage/NonceSecretStore/shardSecret(storing:)``.
    ///
    /// - Parameter proposed: The secret to store if there is none.
    /// - Returns: 32 bytes.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func shardSecret(storing proposed: [UInt8]) async throws(StorageError) -> [UInt8] {
        try await writer.write { connection throws(StorageError) in
            try connection.run(
                "INSERT INTO shard_secret (one, secret) VALUES (1, ?) ON CONFLICT DO NOTHING",
                [.blob(proposed)]
            )
            let secret = try connection.row("SELECT secret FROM shard_secret") { row throws(StorageError) in
                try row.blob(0)
            }
            return secret ?? proposed
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
}
#endif
