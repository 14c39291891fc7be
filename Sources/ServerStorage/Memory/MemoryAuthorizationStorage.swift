// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem
import Synchronization

/// Keeps everything in the memory of one process, until that process ends: for tests and for trying things out.
///
/// Nothing suspends or waits for a disk. Each verb is one step under a lock.
public final class MemoryAuthorizationStorage: AuthorizationStorage {
    let tables = Mutex(MemoryTables())
    private let replays: MemoryReplayStore
    /// Remembers the proofs of pushed requests; see ``AuthorizationStorage/pushedReplay``.
    public let pushedReplay: any ReplayStore = MemoryReplayStore(capacity: 200_000)

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - replayCapacity: How many proofs are remembered at once, at least.
    ///   - replayCapacityPerKey: How many of them may be of one key.
    public init(replayCapacity: Int = 1_000_000, replayCapacityPerKey: Int = 50_000) {
        replays = MemoryReplayStore(capacity: replayCapacity, capacityPerKey: replayCapacityPerKey)
    }

    /// Remembers a proof; see ``/DPoP/ReplayStore/insert(_:until:now:)``.
    ///
    /// - Parameters:
    ///   - key: What is remembered.
    ///   - end: Until when.
    ///   - now: The time.
    /// - Returns: Whether the proof was new.
    public func insert(_ key: ReplayKey, until end: Timestamp, now: Timestamp) -> ReplayInsertion {
        replays.insert(key, until: end, now: now)
    }

    /// The secrets in use; see ``NonceSecretStore/nonceSecrets(replacingAfter:with:at:)``.
    ///
    /// - Parameters:
    ///   - age: A secret older than this gets a successor.
    ///   - proposed: The secret that is stored when there is none, or the newest is old.
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

    /// Deletes what has expired and can no longer matter; see ``AuthorizationStorage/deleteExpired(at:limit:)``.
    ///
    /// Replay keys are forgotten as new ones come in and do not count.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: How many entries at most.
    /// - Returns: How many entries were deleted.
    public func deleteExpired(at now: Timestamp, limit: Int) -> Int {
        tables.withLock { $0.deleteExpired(at: now, limit: limit) }
    }
}
