// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import OAuthSystem
import ServerStorage

/// How many entries the pools of single uses hold; see ``SingleUseEntry/Pool``.
struct SingleUseCapacity: Sendable {
    /// The limit of proofs that any client can send.
    static let pushed = 200_000

    /// The limit of proofs that came with a code or token, and that of client assertions.
    var granted = 1_000_000
    /// The limit for one key or client.
    var perOwner = 50_000

    func all(_ pool: SingleUseEntry.Pool) -> Int {
        pool == .pushed ? Self.pushed : granted
    }
}

extension PostgreSQLConnection {
    /// Carries out a change with its recording, or neither.
    func recorded<Outcome>(
        _ recording: Recording,
        within capacity: SingleUseCapacity,
        at now: Timestamp,
        _ change: () throws(StorageError) -> Outcome
    ) throws(StorageError) -> Recorded<Outcome> {
        if let assertion = recording.assertion {
            let use = try use(assertion, by: recording.attempt, within: capacity, at: now)
            guard use.isRecorded else { return use.refusal(replayed: .assertionReplayed) }
        }
        if let proof = recording.proof {
            let use = try use(proof, by: recording.attempt, within: capacity, at: now)
            guard use.isRecorded else {
                if let assertion = recording.assertion { try forget(assertion) }
                return use.refusal(replayed: .proofReplayed)
            }
        }
        let outcome = try change()
        if let accessToken = recording.accessToken { try insert(accessToken) }
        return .done(outcome)
    }

    /// The outcome of recording one entry.
    private enum Use {
        case recorded
        case replayed
        case full
        case otherEpoch(ReplayEpoch)

        var isRecorded: Bool {
            if case .recorded = self { true } else { false }
        }

        func refusal<Outcome>(replayed: Recorded<Outcome>) -> Recorded<Outcome> {
            switch self {
            case .recorded, .replayed: replayed
            case .full: .full
            case .otherEpoch(let epoch): .otherEpoch(epoch)
            }
        }
    }

    private func use(
        _ entry: SingleUseEntry,
        by attempt: WriteAttempt,
        within capacity: SingleUseCapacity,
        at now: Timestamp
    ) throws(StorageError) -> Use {
        guard try insert(entry, by: attempt) else {
            if let epoch = try otherEpoch(than: entry.epoch, at: now) { return .otherEpoch(epoch) }
            return try isUsed(entry, by: attempt) ? .recorded : .replayed
        }
        if try count(entry, within: capacity) { return .recorded }
        // Expired entries make space; others are never removed.
        try deleteSingleUses(before: now, atMost: 1000)
        if try count(entry, within: capacity) { return .recorded }
        try delete(entry)
        return .full
    }

    /// Stores an entry without counting it; waits for another transaction that is storing the same one.
    ///
    /// - Returns: `false` if it is already stored, or made for another replay memory.
    private func insert(_ entry: SingleUseEntry, by attempt: WriteAttempt) throws(StorageError) -> Bool {
        let values: [PostgreSQLValue] = [
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
        let values: [PostgreSQLValue] = [.blob(entry.key.bytes), .attempt(attempt)]
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

    /// Takes back an entry of a change that is not carried out.
    private func forget(_ entry: SingleUseEntry) throws(StorageError) {
        try delete(entry)
        try add(-1, to: entry)
    }

    /// Counts a stored entry.
    ///
    /// What other transactions count at the same moment is not seen, so a limit can be exceeded by as many.
    ///
    /// - Returns: `false`, without counting, if a limit is reached.
    private func count(_ entry: SingleUseEntry, within capacity: SingleUseCapacity) throws(StorageError) -> Bool {
        try add(1, to: entry)
        let counts = try row(
            """
            SELECT (SELECT coalesce(sum(count), 0)::bigint FROM replay_counts WHERE owner = $1),
                (SELECT coalesce(sum(count), 0)::bigint FROM replay_counts WHERE owner = $2)
            """,
            [.text(entry.owner), .text(entry.pool.prefix)]
        ) { row throws(StorageError) in (own: try row.integer(0), all: try row.integer(1)) }
        guard let counts, counts.own <= capacity.perOwner, counts.all <= capacity.all(entry.pool) else {
            try add(-1, to: entry)
            return false
        }
        return true
    }

    /// Changes the counts of the owner and of the pool, in the rows of this connection.
    private func add(_ difference: Int64, to entry: SingleUseEntry) throws(StorageError) {
        try later(
            """
            INSERT INTO replay_counts (owner, part, count)
            VALUES ($1, pg_backend_pid(), $3), ($2, pg_backend_pid(), $3)
            ON CONFLICT (owner, part) DO UPDATE SET count = replay_counts.count + excluded.count
            """,
            [.text(entry.owner), .text(entry.pool.prefix), .integer(difference)]
        )
    }

    /// Deletes expired entries.
    ///
    /// - Returns: How many were deleted.
    @discardableResult
    func deleteSingleUses(before now: Timestamp, atMost limit: Int) throws(StorageError) -> Int {
        var owners = try rows(
            """
            DELETE FROM replay_proofs WHERE digest IN
                (SELECT digest FROM replay_proofs WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
                FOR UPDATE SKIP LOCKED)
            RETURNING owner
            """,
            [.time(now), .count(limit)]
        ) { row throws(StorageError) in try row.text(0) }
        owners += try rows(
            """
            DELETE FROM replay_keys WHERE digest IN
                (SELECT digest FROM replay_keys WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
                FOR UPDATE SKIP LOCKED)
            RETURNING owner
            """,
            [.time(now), .count(limit - owners.count)]
        ) { row throws(StorageError) in try row.text(0) }
        var gone: [String: Int64] = [:]
        for owner in owners {
            gone[owner, default: 0] += 1
            gone[SingleUseEntry.Pool.of(owner: owner).prefix, default: 0] += 1
        }
        for (owner, count) in gone.sorted(by: { $0.key < $1.key }) { try subtract(count, from: owner) }
        return owners.count
    }

    /// Subtracts from a count, and puts the rows of all connections together.
    private func subtract(_ count: Int64, from owner: String) throws(StorageError) {
        let parts = try rows("DELETE FROM replay_counts WHERE owner = $1 RETURNING count", [.text(owner)]) {
            row throws(StorageError) in try row.integer(0)
        }
        let left = parts.reduce(0, +) - count
        guard left > 0 else { return }
        try later(
            """
            INSERT INTO replay_counts (owner, part, count) VALUES ($1, pg_backend_pid(), $2)
            ON CONFLICT (owner, part) DO UPDATE SET count = replay_counts.count + excluded.count
            """,
            [.text(owner), .integer(left)]
        )
    }
}

extension SingleUseEntry {
    /// The name under which entries of one key or client are counted in their pool.
    fileprivate var owner: String { pool.prefix + key.owner.description }
}

extension SingleUseEntry.Pool {
    /// The start of an owner's name, which no thumbprint has, and the name of the pool's total.
    fileprivate var prefix: String {
        switch self {
        case .granted: ""
        case .pushed: "pushed:"
        case .assertions: "assertion:"
        }
    }

    fileprivate static func of(owner: String) -> Self {
        allCases.first { $0 != .granted && owner.hasPrefix($0.prefix) } ?? .granted
    }
}
#endif
