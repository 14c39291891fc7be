// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthSystem
import Synchronization

/// Remembers used proofs in the memory of one process.
///
/// Bounded in all and for each key. Full means refused: forgetting a key early would let its proof in again. Keys are
/// spread by a hash that is seeded for each store, so nobody can aim at one shard or place from outside.
public final class MemoryReplayStore: ReplayStore {
    private let shards = ReplayShards()
    private let hash = ReplayHash()
    private let capacity: Int
    private let capacityPerKey: Int
    /// The proofs of all shards; reserved before a proof is inserted, so that the bound is exact.
    private let total = Atomic<Int>(0)
    /// The last minute in which the time of all shards was moved on.
    private let lastMinute = Mutex<UInt32>(0)

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: How many proofs are remembered at once, in all; each takes 14 to 34 bytes, and
    ///     those of each key that end in the same minute 19 to 26 together, or up to 96 where keys have many proofs each: no
    ///     more than 48 for a proof, with all that belongs to it, while the store fills, and up to 60 while minutes end and
    ///     others come.
    ///   - capacityPerKey: How many of them may be of one key.
    public init(capacity: Int = 4_000_000, capacityPerKey: Int = 50_000) {
        self.capacity = capacity
        self.capacityPerKey = capacityPerKey
    }

    /// Remembers a proof; see ``ReplayStore/insert(_:until:now:)``.
    ///
    /// Does not suspend.
    ///
    /// - Parameters:
    ///   - key: What is remembered.
    ///   - end: Until when.
    ///   - now: The time.
    /// - Returns: Whether the proof was new.
    public func insert(_ key: ReplayKey, until end: Timestamp, now: Timestamp) -> ReplayInsertion {
        let owner = hash(key.owner.digest)
        let proof = hash(key.digest)
        let current = Self.minute(of: now)
        let last = Self.minute(of: end)
        let result = insert(proof, of: owner, until: last, at: current)
        // The past of other shards, where nobody came by since, must not be what fills the store.
        guard result == .full, total.load(ordering: .relaxed) >= capacity, advanceAll(to: current) else {
            return result
        }
        return insert(proof, of: owner, until: last, at: current)
    }

    /// How many proofs are remembered.
    public var count: Int { total.load(ordering: .relaxed) }

    /// The memory of what is remembered, in bytes; not small, with blocks of its own in each shard that was used.
    package var byteCount: Int {
        (0..<ReplayShards.count).reduce(0) { sum, shard in sum + shards.withTable(shard) { $0.byteCount } }
    }

    @inline(never)
    private func insert(_ hash: UInt64, of owner: UInt64, until end: UInt32, at current: UInt32) -> ReplayInsertion {
        // All proofs of one key lie in one shard: its count is exact without a second lock.
        shards.withTable(Int(owner % UInt64(ReplayShards.count))) { table in
            advance(&table, to: current)
            return table.insert(hash, of: owner, until: end, limit: capacityPerKey) { reserve() }
        }
    }

    /// Takes room for one proof.
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

    /// Moves the time of all shards on, once a minute; returns whether there is room now.
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
