// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCrypto
import Synchronization

/// Remembers used proofs in the memory of one process.
///
/// Bounded in all and for each key. Full means refused: forgetting a key early would let its proof in again. Keys are
/// spread by a hash that is seeded for each process, so nobody can aim at one shard or place from outside.
public final class MemoryReplayStore: ReplayStore {
    private struct Shard {
        var table = ReplayTable()
        var sweptUpTo: Int64 = .min
    }

    private final class LockedShard: Sendable {
        let shard = Mutex(Shard())
    }

    /// Many, so that no caller waits long while a shard grows or forgets a minute: a 256th of all that is remembered.
    private static let shardCount = 256

    private let shards: [LockedShard]
    private let capacity: Int
    private let capacityPerKey: Int
    /// The proofs of all shards; reserved before a proof is inserted, so that the bound is exact.
    private let total = Atomic<Int>(0)

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: How many proofs are remembered at once, in all; each takes 30 to 45 bytes, and each key 20 to 30 bytes
    ///     more.
    ///   - capacityPerKey: How many of them may be of one key.
    public init(capacity: Int = 1_000_000, capacityPerKey: Int = 50_000) {
        shards = (0..<Self.shardCount).map { _ in LockedShard() }
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
        let owner = UInt64(truncatingIfNeeded: key.owner.hashValue)
        let hash = UInt64(truncatingIfNeeded: key.digest.hashValue)
        let current = Self.minute(of: now)
        let result = insert(hash, of: owner, until: Self.minute(of: end), at: current)
        // The past of other shards, where nobody came by since, must not be what fills the store.
        guard result == .full, total.load(ordering: .relaxed) >= capacity, sweepAll(at: current) else { return result }
        return insert(hash, of: owner, until: Self.minute(of: end), at: current)
    }

    /// How many proofs are remembered.
    public var count: Int { total.load(ordering: .relaxed) }

    private func insert(_ hash: UInt64, of owner: UInt64, until end: Int64, at current: Int64) -> ReplayInsertion {
        // All proofs of one key lie in one shard: its count is exact without a second lock. The lower bits choose the shard,
        // the upper ones the place in it.
        shards[Int(owner % UInt64(Self.shardCount))].shard.withLock { shard in
            sweep(&shard, at: current)
            guard !shard.table.contains(hash, of: owner) else { return .replayed }
            guard shard.table.count(of: owner) < capacityPerKey, reserve() else { return .full }
            // What ended before it came is remembered for the moment: the clock may have stepped.
            shard.table.insert(hash, of: owner, until: max(end, shard.sweptUpTo))
            return .inserted
        }
    }

    /// Takes room for one proof.
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

    /// Forgets the minutes that are wholly past; returns whether there is room now.
    private func sweepAll(at current: Int64) -> Bool {
        for locked in shards { locked.shard.withLock { sweep(&$0, at: current) } }
        return total.load(ordering: .relaxed) < capacity
    }

    private func sweep(_ shard: inout Shard, at current: Int64) {
        guard current > shard.sweptUpTo else { return }
        shard.sweptUpTo = current
        let removed = shard.table.removeAll(before: current)
        total.subtract(removed, ordering: .relaxed)
    }

    private static func minute(of time: Timestamp) -> Int64 {
        time.millisecondsSince1970 / 60_000
    }
}
