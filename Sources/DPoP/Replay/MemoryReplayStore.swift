// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthSystem
import Synchronization

/// Stores used proofs in the memory of one process.
///
/// The number of proofs is bounded, in total and for each key. A full store rejects new proofs: evicting an entry early
/// would allow its replay. Proofs are distributed by a hash with a random seed for each store, so an attacker cannot
/// target a shard or slot.
public final class MemoryReplayStore: ReplayStore {
    private let shards = ReplayShards()
    private let hash = ReplayHash()
    private let capacity: Int
    private let capacityPerKey: Int
    /// The number of proofs in all shards.
    ///
    /// It is reserved before a proof is inserted, so that the bound is exact.
    private let total = Atomic<Int>(0)
    /// The last minute in which the time of all shards was advanced.
    private let lastMinute = Mutex<UInt32>(0)

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of proofs. Each takes 14 to 34 bytes; the proofs of one key that expire in the
    ///     same minute take another 19 to 26 bytes together, or up to 96 if keys have many proofs each. In total a
    ///     proof takes at most 48 bytes while the store fills, and up to 60 while old proofs expire and new ones
    ///     arrive.
    ///   - capacityPerKey: The maximum number of proofs of one key.
    public init(capacity: Int = 4_000_000, capacityPerKey: Int = 50_000) {
        self.capacity = capacity
        self.capacityPerKey = capacityPerKey
    }

    /// Stores a proof without suspending; see ``ReplayStore/insert(_:until:now:in:)``.
    ///
    /// Of any number of callers with the same key, exactly one gets ``ReplayInsertion/inserted``.
    ///
    /// - Parameters:
    ///   - key: The replay key of the proof.
    ///   - end: The time until which the proof is stored.
    ///   - now: The current time.
    /// - Returns: Whether the proof was new.
    public func insert(_ key: ReplayKey, until end: Timestamp, now: Timestamp) -> ReplayInsertion {
        let owner = hash(key.owner.digest)
        let proof = hash(key.digest)
        let current = Self.minute(of: now)
        let last = Self.minute(of: end)
        let result = insert(proof, of: owner, until: last, at: current)
        // Idle shards may still hold expired entries: expire them before reporting the store full.
        guard result == .full, total.load(ordering: .relaxed) >= capacity, advanceAll(to: current) else {
            return result
        }
        return insert(proof, of: owner, until: last, at: current)
    }

    /// Stores a proof; see ``insert(_:until:now:)``.
    ///
    /// - Parameters:
    ///   - key: The replay key of the proof.
    ///   - end: The time until which the proof is stored.
    ///   - now: The current time.
    ///   - epoch: Ignored: the store forgets nothing before the process ends.
    /// - Returns: Whether the proof was new.
    public func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp,
        in epoch: ReplayEpoch?
    ) async -> ReplayInsertion {
        insert(key, until: end, now: now)
    }

    /// The number of stored proofs.
    public var count: Int { total.load(ordering: .relaxed) }

    /// The memory in use, in bytes.
    ///
    /// It is never small: each used shard has blocks of its own.
    package var byteCount: Int {
        (0..<ReplayShards.count).reduce(0) { sum, shard in sum + shards.withTable(shard) { $0.byteCount } }
    }

    @inline(never)
    private func insert(_ hash: UInt64, of owner: UInt64, until end: UInt32, at current: UInt32) -> ReplayInsertion {
        // All proofs of one key are in one shard: its count is exact without a second lock.
        shards.withTable(Int(owner % UInt64(ReplayShards.count))) { table in
            advance(&table, to: current)
            return table.insert(hash, of: owner, until: end, limit: capacityPerKey) { reserve() }
        }
    }

    /// Reserves space for one proof.
    @inline(__always)
    private func reserve() -> Bool {
        var known = total.load(ordering: .relaxed)
        while known < capacity {
            let (exchanged, original) = total.weakCompareExchange(
                expected: known,
                desired: known + 1,
                ordering: .relaxed
            )
            if exchanged { return true }
            known = original
        }
        return false
    }

    /// Advances the time of all shards, once a minute; returns whether there is space now.
    private func advanceAll(to current: UInt32) -> Bool {
        lastMinute.withLock { last in
            guard current > last else { return }
            last = current
            for shard in 0..<ReplayShards.count { shards.withTable(shard) { advance(&$0, to: current) } }
        }
        return total.load(ordering: .relaxed) < capacity
    }

    private func advance(_ table: inout ReplayTable, to current: UInt32) {
        let forgotten = table.advance(to: current)
        if forgotten > 0 { total.subtract(forgotten, ordering: .relaxed) }
    }

    private static func minute(of time: Timestamp) -> UInt32 {
        UInt32(clamping: time.millisecondsSince1970 / 60_000)
    }
}
