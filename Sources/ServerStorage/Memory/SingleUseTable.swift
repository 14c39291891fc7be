// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem

/// Single uses in memory: proofs, client assertions, request objects and responses of a login provider.
struct SingleUseTable {
    /// The limit of proofs that any client can send.
    private static let pushedCapacity = 200_000

    private struct Entry {
        let owner: JWKThumbprint
        let pool: SingleUseEntry.Pool
        let end: Timestamp
        let attempt: WriteAttempt
    }

    private struct Owner: Hashable {
        let pool: SingleUseEntry.Pool
        let key: JWKThumbprint?
    }

    private let capacity: Int
    private let capacityPerOwner: Int
    private var entries: [ReplayKey: Entry] = [:]
    /// How many entries each owner has; those without a key are the totals of the pools.
    private var counts: [Owner: Int] = [:]
    /// The memory of the proofs; `nil` before the first server starts.
    private(set) var epoch: ReplayEpoch?

    init(capacity: Int, capacityPerOwner: Int) {
        (self.capacity, self.capacityPerOwner) = (capacity, capacityPerOwner)
    }

    /// The current memory; starts one if there is none.
    mutating func epoch(orStarting proposed: ReplayEpoch) -> ReplayEpoch {
        if let epoch { return epoch }
        epoch = proposed
        return proposed
    }

    /// Forgets all proofs; everything else stays.
    mutating func start(_ epoch: ReplayEpoch) {
        self.epoch = epoch
        for (key, entry) in entries where entry.pool.holdsProofs { remove(key, entry) }
    }

    /// Why the entries of a recording cannot be stored; `nil` if they can, or are.
    mutating func refusal(of recording: Recording, at now: Timestamp) -> Refusal? {
        if let entry = recording.assertion, isUsed(entry, recording.attempt) { return .assertionReplayed }
        if let entry = recording.proof {
            if let made = entry.epoch, let epoch, made != epoch { return .otherEpoch(epoch) }
            if isUsed(entry, recording.attempt) { return .proofReplayed }
        }
        for entry in recording.entries where entries[entry.key] == nil && !hasRoom(for: entry) {
            deleteExpired(at: now)
            guard hasRoom(for: entry) else { return .full }
        }
        return nil
    }

    /// Stores the entries of a recording that ``refusal(of:at:)`` did not refuse.
    mutating func insert(_ recording: Recording) {
        for entry in recording.entries where entries[entry.key] == nil {
            entries[entry.key] = Entry(
                owner: entry.key.owner,
                pool: entry.pool,
                end: entry.end,
                attempt: recording.attempt
            )
            count(entry.key.owner, entry.pool, by: 1)
        }
    }

    /// Deletes what has expired.
    ///
    /// - Returns: How many entries were deleted.
    @discardableResult
    mutating func deleteExpired(at now: Timestamp, atMost limit: Int = .max) -> Int {
        let expired = entries.lazy.filter { $0.value.end < now }.prefix(limit).map { ($0.key, $0.value) }
        let deleted = Array(expired)
        for (key, entry) in deleted { remove(key, entry) }
        return deleted.count
    }

    /// The reason that nothing was stored.
    enum Refusal {
        case assertionReplayed
        case proofReplayed
        case full
        case otherEpoch(ReplayEpoch)
    }

    private func isUsed(_ entry: SingleUseEntry, _ attempt: WriteAttempt) -> Bool {
        entries[entry.key].map { $0.attempt != attempt } ?? false
    }

    private func hasRoom(for entry: SingleUseEntry) -> Bool {
        let all = entry.pool == .pushed ? Self.pushedCapacity : capacity
        return counts[Owner(pool: entry.pool, key: nil), default: 0] < all
            && counts[Owner(pool: entry.pool, key: entry.key.owner), default: 0] < capacityPerOwner
    }

    private mutating func remove(_ key: ReplayKey, _ entry: Entry) {
        entries[key] = nil
        count(entry.owner, entry.pool, by: -1)
    }

    private mutating func count(_ owner: JWKThumbprint, _ pool: SingleUseEntry.Pool, by change: Int) {
        for owner in [Owner(pool: pool, key: owner), Owner(pool: pool, key: nil)] {
            let count = counts[owner, default: 0] + change
            counts[owner] = count == 0 ? nil : count
        }
    }
}

extension SingleUseTable.Refusal {
    /// The outcome of a change that was not carried out.
    func recorded<Outcome>() -> Recorded<Outcome> {
        switch self {
        case .assertionReplayed: .assertionReplayed
        case .proofReplayed: .proofReplayed
        case .full: .full
        case .otherEpoch(let epoch): .otherEpoch(epoch)
        }
    }
}
