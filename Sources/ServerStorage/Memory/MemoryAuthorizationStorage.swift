// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem
import Synchronization

/// Stores everything in the memory of one process until that process ends, for tests and experiments.
///
/// Nothing suspends or waits for a disk. Each function is one step under a lock.
public final class MemoryAuthorizationStorage: AuthorizationStorage {
    let tables = Mutex(MemoryTables())
    private let replays: MemoryReplayStore
    /// Stores the proofs of pushed requests; see ``AuthorizationStorage/pushedReplay``.
    public let pushedReplay: any ReplayStore = MemoryReplayStore(capacity: 200_000)

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - replayCapacity: How many proofs are stored at once, at least.
    ///   - replayCapacityPerKey: How many of them may belong to one key.
    public init(replayCapacity: Int = 1_000_000, replayCapacityPerKey: Int = 50_000) {
        replays = MemoryReplayStore(capacity: replayCapacity, capacityPerKey: replayCapacityPerKey)
    }

    /// Stores a proof; see ``/DPoP/ReplayStore/insert(_:until:now:)``.
    ///
    /// - Parameters:
    ///   - key: The replay key.
    ///   - end: Until when it is stored.
    ///   - now: The time.
    /// - Returns: Whether the proof was new.
    public func insert(_ key: ReplayKey, until end: Timestamp, now: Timestamp) -> ReplayInsertion {
        replays.insert(key, until: end, now: now)
    }

    /// The current secrets; see ``NonceSecretStore/nonceSecrets(replacingAfter:with:at:)``.
    ///
    /// - Parameters:
    ///   - age: The age at which a secret gets a successor.
    ///   - proposed: The secret to store if there is none, or the newest is old.
    ///   - now: The time.
    /// - Returns: One or two secrets, the newest first.
    public func nonceSecrets(
        replacingAfter age: Duration,
        with proposed: DPoPNonceSecret,
        at now: Timestamp
    ) -> [DPoPNonceSecret] {
        tables.withLock { tables in
            let newest = tables.nonceSecrets.first
            if newest.map({ $0.since + age <= now }) ?? true {
                let secret = newest.map { proposed.following($0.secret) } ?? proposed
                tables.nonceSecrets = [(secret, now)] + tables.nonceSecrets.prefix(1)
            }
            return tables.nonceSecrets.map(\.secret)
        }
    }

    /// Deletes expired records that no longer matter; see ``AuthorizationStorage/deleteExpired(at:limit:)``.
    ///
    /// Inserting replay keys removes expired ones, so they do not count here.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: The maximum number of entries.
    /// - Returns: How many entries were deleted.
    public func deleteExpired(at now: Timestamp, limit: Int) -> Int {
        tables.withLock { $0.deleteExpired(at: now, limit: limit) }
    }
}
