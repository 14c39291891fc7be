// SPDX-License-Identifier: Apache-2.0

/// The proofs of one shard, and how many there are of each key: two tables with open addressing.
///
/// A proof is known by two hashes of 64 bits, of its key and of what is remembered, both seeded anew for each process:
/// nobody can aim at a place or at another proof from outside, and by chance alone two of the 50,000 proofs of a key have
/// the same hash once in ten billion times; the second of them is then refused. Nothing is ever removed by itself, so
/// there are no gaps: the past goes all at once, when the tables are made anew.
struct ReplayTable {
    private struct Proof {
        let hash: UInt64
        let owner: UInt64
        /// The last minute in which the proof is remembered; of an empty place the first one there is.
        var minute: Int64
    }

    private struct Owner {
        let hash: UInt64
        /// How many proofs the key has here; of an empty place none.
        var count: Int
    }

    private static let nobody = Owner(hash: 0, count: 0)
    private static let nothing = Proof(hash: 0, owner: 0, minute: .min)

    private var proofs: [Proof] = []
    private var owners: [Owner] = []
    private var ownerCount = 0
    private var earliestMinute = Int64.max

    /// How many proofs are held.
    private(set) var count = 0

    /// Whether a proof is held.
    func contains(_ hash: UInt64, of owner: UInt64) -> Bool {
        guard count > 0 else { return false }
        return proofs[place(of: hash, owner)].minute != .min
    }

    /// How many proofs of a key are held.
    func count(of owner: UInt64) -> Int {
        ownerCount > 0 ? owners[place(ofOwner: owner)].count : 0
    }

    /// Adds a proof that is not held.
    mutating func insert(_ hash: UInt64, of owner: UInt64, until minute: Int64) {
        makeRoom()
        let place = place(of: hash, owner)
        proofs[place] = Proof(hash: hash, owner: owner, minute: minute)
        count += 1
        earliestMinute = min(earliestMinute, minute)
        let ownerPlace = self.place(ofOwner: owner)
        if owners[ownerPlace].count == 0 {
            owners[ownerPlace] = Owner(hash: owner, count: 1)
            ownerCount += 1
        } else {
            owners[ownerPlace].count += 1
        }
    }

    /// Forgets all proofs of the minutes before one; returns how many.
    mutating func removeAll(before minute: Int64) -> Int {
        guard earliestMinute < minute else { return 0 }
        let before = count
        let held = proofs.filter { $0.minute >= minute }
        self = ReplayTable()
        // No power of two: what is left over when a table has just grown counts ten million times.
        proofs = Array(repeating: Self.nothing, count: held.count + held.count / 2)
        for proof in held { insert(proof.hash, of: proof.owner, until: proof.minute) }
        return before - count
    }

    /// At most four of five places are taken: beyond that, the way to an empty one grows long.
    private mutating func makeRoom() {
        if (count + 1) * 5 > proofs.count * 4 {
            let old = proofs
            proofs = Array(repeating: Self.nothing, count: max(16, old.count + old.count / 2))
            for proof in old where proof.minute != .min { proofs[place(of: proof.hash, proof.owner)] = proof }
        }
        if (ownerCount + 1) * 5 > owners.count * 4 {
            let old = owners
            owners = Array(repeating: Self.nobody, count: max(8, old.count + old.count / 2))
            for owner in old where owner.count > 0 { owners[place(ofOwner: owner.hash)] = owner }
        }
    }

    /// Where a proof is, or the empty place where it belongs.
    private func place(of hash: UInt64, _ owner: UInt64) -> Int {
        var place = Self.start(hash, proofs.count)
        while proofs[place].minute != .min, proofs[place].hash != hash || proofs[place].owner != owner {
            place = place + 1 < proofs.count ? place + 1 : 0
        }
        return place
    }

    /// Where a key is counted, or the empty place where it belongs.
    private func place(ofOwner hash: UInt64) -> Int {
        var place = Self.start(hash, owners.count)
        while owners[place].count > 0, owners[place].hash != hash {
            place = place + 1 < owners.count ? place + 1 : 0
        }
        return place
    }

    /// Spreads hashes over places without a division.
    private static func start(_ hash: UInt64, _ count: Int) -> Int {
        Int(hash.multipliedFullWidth(by: UInt64(count)).high)
    }
}
