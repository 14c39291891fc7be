// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import DPoP
public import OAuthSystem
public import ServerStorage

extension PostgreSQLAuthorizationStorage {
    /// Stores entries; see ``/ServerStorage/RecordingStore/record(_:at:)``.
    ///
    /// - Parameters:
    ///   - recording: The entries.
    ///   - now: The time.
    /// - Returns: Whether all of them are stored.
    /// - Throws: ``/ServerStorage/StorageError``; also if another access token with that hash is stored.
    public func record(_ recording: Recording, at now: Timestamp) async throws(StorageError) -> Recorded<Void> {
        let plan = PostgreSQLProofPlan(recording, within: singleUses, at: now).flatMap { PostgreSQLPlan.recording($0) }
        return try await writeRecorded(recording, at: now, trying: plan) { _ throws(StorageError) in }
    }

    /// Forgets every proof; see ``/ServerStorage/RecordingStore/startReplayMemory(_:)``.
    ///
    /// - Parameter epoch: The new memory.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func startReplayMemory(_ epoch: ReplayEpoch) async throws(StorageError) {
        try await pool.write { connection throws(StorageError) in
            try connection.store(epoch)
            // Nonces of before no longer fit, so no proof of before is accepted again.
            try connection.later("DELETE FROM replay_proofs")
            try connection.run("DELETE FROM replay_keys WHERE owner NOT LIKE 'assertion:%'")
        }
        singleUses.startReplayMemory()
    }

    /// Carries out a change with its recording, or neither.
    func writeRecorded<Outcome: Sendable>(
        _ recording: Recording,
        at now: Timestamp,
        trying plan: PostgreSQLPlan<Recorded<Outcome>>? = nil,
        _ change: @escaping @Sendable (PostgreSQLConnection) throws(StorageError) -> Outcome
    ) async throws(StorageError) -> Recorded<Outcome> {
        let counts = singleUses
        let recorded = try await pool.write(plan) { connection throws(StorageError) in
            try connection.recorded(recording, within: counts, at: now) { () throws(StorageError) in
                try change(connection)
            }
        }
        counts.add(recording, with: recorded, at: now)
        return recorded
    }
}

extension PostgreSQLConnection {
    /// The current replay memory.
    func replayEpoch() throws(StorageError) -> ReplayEpoch? {
        try row("SELECT epoch, since FROM replay_epoch") { row throws(StorageError) in
            ReplayEpoch(bytes: try row.blob(0), since: try row.time(1))
        }
    }

    /// Starts a replay memory, unless there is one.
    ///
    /// - Returns: The memory that there is then.
    func startEpochIfMissing(_ epoch: ReplayEpoch) throws(StorageError) -> ReplayEpoch {
        if let current = try replayEpoch() { return current }
        try later(
            "INSERT INTO replay_epoch (one, epoch, since) VALUES (1, $1, $2) ON CONFLICT DO NOTHING",
            [.blob(epoch.bytes), .time(epoch.since)]
        )
        return try replayEpoch() ?? epoch
    }

    func store(_ epoch: ReplayEpoch) throws(StorageError) {
        try run(
            """
            INSERT INTO replay_epoch (one, epoch, since) VALUES (1, $1, $2)
            ON CONFLICT (one) DO UPDATE SET epoch = excluded.epoch, since = excluded.since
            """,
            [.blob(epoch.bytes), .time(epoch.since)]
        )
    }
}
#endif
