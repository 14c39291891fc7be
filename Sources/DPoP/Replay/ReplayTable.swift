// SPDX-License-Identifier: Apache-2.0

/// The proofs of one shard, and the number of proofs of each key.
///
/// A proof is identified by a hash of 64 bits, with a random seed for each store, so an attacker cannot target a slot
/// or another proof. By chance, two of 50,000 proofs of a shard have the same hash once in ten billion times; the
/// second of them is then rejected. The proofs of a key are counted for each minute, so that the counts expire with the
/// minute.
struct ReplayTable: ~Copyable {
    private var proofs: ReplayIndex<ProofEntry>
    private var owners: ReplayIndex<OwnerEntry>
    /// The first minute that has not passed; it never decreases.
    private var now: UInt32 = 1

    init(in memory: ReplayMemory = ReplayMemory()) {
        proofs = ReplayIndex(in: memory.proofs)
        owners = ReplayIndex(in: memory.owners)
    }

    /// The number of stored proofs.
    var count: Int { proofs.count }
    /// Whether a move is in progress.
    var isMoving: Bool { proofs.isMoving || owners.isMoving }
    /// The memory in use, in bytes.
    var byteCount: Int { proofs.byteCount + owners.byteCount }

    /// Advances the time; returns how many proofs expired.
    @inline(__always)
    mutating func advance(to minute: UInt32) -> Int {
        minute > now ? forget(before: minute) : 0
    }

    /// Whether a proof is stored.
    func contains(_ hash: UInt64) -> Bool {
        proofs.place(of: hash, at: now) { _ in true }.isTaken
    }

    /// The number of stored proofs of a key.
    func count(of owner: UInt64) -> Int {
        tally(of: owner, until: 0).count
    }

    /// Stores a proof in bounded time.
    ///
    /// - Parameters:
    ///   - hash: The hash of the proof.
    ///   - owner: The hash of its key.
    ///   - end: The minute in which it expires.
    ///   - limit: The maximum number of proofs of the key.
    ///   - reserve: Reserves space in the store; called after all other checks, and returns whether there was space.
    /// - Returns: Whether the proof was new.
    @inline(__always)
    mutating func insert(
        _ hash: UInt64,
        of owner: UInt64,
        until end: UInt32,
        limit: Int = .max,
        reserve: () -> Bool = { true }
    ) -> ReplayInsertion {
        defer { step() }
        let place = proofs.place(of: hash, at: now) { _ in true }
        guard !place.isTaken else { return .replayed }
        let minute = max(end, now)
        let tally = tally(of: owner, until: minute)
        guard tally.count < limit, reserve() else { return .full }
        proofs.insert(ProofEntry(hash: hash, minute: minute), at: place)
        if tally.place.isTaken {
            owners.update(tally.place) { $0.tally += 1 }
        } else {
            owners.insert(OwnerEntry(hash: owner, minute: minute, tally: 1), at: tally.place)
        }
        return .inserted
    }

    /// If keys have many proofs each, their counts take little memory, which leaves some for more slots than necessary.
    @inline(__always)
    private mutating func step() {
        let isRoomy = owners.count * 8 <= proofs.count
        proofs.step(at: now, isRoomy: isRoomy)
        owners.step(at: now, isRoomy: isRoomy)
    }

    @inline(never)
    private mutating func forget(before minute: UInt32) -> Int {
        now = minute
        _ = owners.removeAll(before: minute)
        return proofs.removeAll(before: minute)
    }

    /// The number of stored proofs of a key, and the location of the count for those that expire in a minute.
    @inline(__always)
    private func tally(of owner: UInt64, until minute: UInt32) -> (count: Int, place: ReplayIndex<OwnerEntry>.Place) {
        var count = 0
        let place = owners.place(of: owner, at: now) { entry in
            count += Int(entry.tally)
            return entry.minute == minute
        }
        return (count, place)
    }
}
