// SPDX-License-Identifier: Apache-2.0

/// The proofs of one shard, and how many of them each key has.
///
/// A proof is known by a hash of 64 bits, seeded anew for each store: nobody can aim at a slot or at another proof from
/// outside, and by chance alone two of 50,000 proofs of a shard have the same hash once in ten billion times; the second
/// of them is then refused. How many proofs a key has is counted for each minute, so that a minute takes its counts with it.
struct ReplayTable: ~Copyable {
    private var proofs: ReplayIndex<ProofEntry>
    private var owners: ReplayIndex<OwnerEntry>
    /// The minute up to which everything is past, itself not included; it never goes back.
    private var now: UInt32 = 1

    init(in memory: ReplayMemory = ReplayMemory()) {
        proofs = ReplayIndex(in: memory.proofs)
        owners = ReplayIndex(in: memory.owners)
    }

    /// How many proofs are remembered.
    var count: Int { proofs.count }
    /// Whether anything has still to be moved.
    var isMoving: Bool { proofs.isMoving || owners.isMoving }
    /// The memory of what is remembered, in bytes.
    var byteCount: Int { proofs.byteCount + owners.byteCount }

    /// Moves the time on; returns how many proofs it has made past.
    @inline(__always)
    mutating func advance(to minute: UInt32) -> Int {
        minute > now ? forget(before: minute) : 0
    }

    /// Whether a proof is remembered.
    func contains(_ hash: UInt64) -> Bool {
        proofs.place(of: hash, at: now) { _ in true }.isTaken
    }

    /// How many proofs of a key are remembered.
    func count(of owner: UInt64) -> Int {
        tally(of: owner, until: 0).count
    }

    /// Remembers a proof, in a bounded time.
    ///
    /// - Parameters:
    ///   - hash: The proof.
    ///   - owner: Its key.
    ///   - end: The minute in which it ends.
    ///   - limit: How many proofs the key may have.
    ///   - reserve: Whether there is room elsewhere; asked when nothing else is against it.
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

    /// Where keys have many proofs each, their counts take little memory, and there is some for more slots than necessary.
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

    /// How many proofs of a key are remembered, and where those are counted that end in a minute.
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
