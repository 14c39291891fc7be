// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem
import Synchronization

/// Stores everything in the memory of one process until that process ends, for tests and experiments.
///
/// Nothing suspends or waits for a disk. Each function is one step under a lock.
public final class MemoryAuthorizationStorage: AuthorizationStorage {
    let tables: Mutex<MemoryTables>

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - replayCapacity: How many proofs are stored at once, and how many entries of each other pool.
    ///   - replayCapacityPerKey: How many of them may belong to one key or client.
    public init(replayCapacity: Int = 1_000_000, replayCapacityPerKey: Int = 50_000) {
        tables = Mutex(MemoryTables(capacity: replayCapacity, capacityPerOwner: replayCapacityPerKey))
    }

    /// The current secrets; see ``NonceSecretStore/nonceSecrets(replacingAfter:with:starting:at:)``.
    ///
    /// - Parameters:
    ///   - age: The age at which a secret gets a successor.
    ///   - proposed: The secret to store if there is none, or the newest is old.
    ///   - epoch: The replay memory to start if there is none.
    ///   - now: The time.
    /// - Returns: One or two secrets, the newest first, and the replay memory.
    public func nonceSecrets(
        replacingAfter age: Duration,
        with proposed: DPoPNonceSecret,
        starting epoch: ReplayEpoch,
        at now: Timestamp
    ) -> DPoPNonceSecrets {
        tables.withLock { tables in
            let newest = tables.nonceSecrets.first
            if newest.map({ $0.since + age <= now }) ?? true {
                let secret = newest.map { proposed.following($0.secret) } ?? proposed
                tables.nonceSecrets = [(secret, now)] + tables.nonceSecrets.prefix(1)
            }
            let memory = tables.singleUses.epoch(orStarting: epoch)
            return DPoPNonceSecrets(tables.nonceSecrets.map(\.secret), epoch: memory)
        }
    }

    /// The secret of the shards; see ``NonceSecretStore/shardSecret(storing:)``.
    ///
    /// - Parameter proposed: The secret to store if there is none.
    /// - Returns: 32 bytes.
    public func shardSecret(storing proposed: [UInt8]) -> [UInt8] {
        tables.withLock { tables in
            let secret = tables.shardSecret ?? proposed
            tables.shardSecret = secret
            return secret
        }
    }

    /// Deletes expired records that no longer matter; see ``AuthorizationStorage/deleteExpired(at:limit:)``.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - limit: The maximum number of entries.
    /// - Returns: How many entries were deleted.
    public func deleteExpired(at now: Timestamp, limit: Int) -> Int {
        tables.withLock { $0.deleteExpired(at: now, limit: limit) }
    }
}
