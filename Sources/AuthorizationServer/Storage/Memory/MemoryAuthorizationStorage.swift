// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import JOSE
import Synchronization

/// Keeps everything in the memory of one process, until that process ends: for tests and for trying things out.
///
/// Nothing suspends or waits for a disk. Each verb is one step under a lock.
public final class MemoryAuthorizationStorage: AuthorizationStorage {
    let tables = Mutex(MemoryTables())
    private let replays: MemoryReplayStore

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

    /// The secrets in use; see ``NonceSecretStore/nonceSecrets(orStore:)``.
    ///
    /// - Parameter proposed: The secret that is stored when there is none yet.
    /// - Returns: One or two secrets, the newest first.
    public func nonceSecrets(orStore proposed: DPoPNonceSecret) -> [DPoPNonceSecret] {
        tables.withLock { tables in
            if tables.nonceSecrets.isEmpty { tables.nonceSecrets = [proposed] }
            return tables.nonceSecrets
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
