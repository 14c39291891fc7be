// SPDX-License-Identifier: Apache-2.0

/// The proofs of one shard, and how many of them each key has.
///
/// Every step takes a bounded time. There are as many buckets as records, and each new record splits one bucket (linear
/// hashing), so that nothing is ever hashed anew as a whole. What is past counts no more from the first moment of the next
/// minute; its records are removed a few at a time, by a hand that goes round. A record that goes leaves its slot to the
/// last one, so that the slots have no gaps.
///
/// A proof is known by a hash of 64 bits, seeded anew for each process: nobody can aim at a bucket or at another proof from
/// outside, and by chance alone two of 50,000 proofs of a shard have the same hash once in ten billion times; the second
/// of them is then refused. How many proofs a key has is counted for each minute, in one of the records of that key and
/// minute: a key with one proof costs no more than that proof, and a minute takes its counts with it.
struct ReplayTable: ~Copyable {
    /// What is known of a key before a proof of it is remembered.
    struct Tally {
        /// How many proofs it has.
        fileprivate(set) var count: Int
        fileprivate(set) var place: UInt32
    }

    /// No record.
    private static let none = UInt32.max
    /// So many slots are looked at when a proof comes; a round takes an eighth as many proofs as there are records.
    private static let slotsPerStep = 8
    /// So many records are removed when a proof comes, at most.
    private static let removalsPerStep = 3

    private var slots = ReplaySlots()
    private var minutes = ReplayMinutes()
    private var hand = 0
    /// The minute up to which everything is past, itself not included; it never goes back.
    private var now: UInt32 = 0

    /// How many proofs are remembered.
    var count: Int { minutes.total }
    /// How many records there are, those of the past that were not removed yet included.
    var recordCount: Int { slots.count }
    /// The memory of the records, in bytes.
    var byteCount: Int { slots.byteCount }

    /// Moves the time on; returns how many proofs it has made past.
    mutating func advance(to minute: UInt32) -> Int {
        guard minute > now else { return 0 }
        now = minute
        return minutes.removeAll(before: minute)
    }

    /// Whether a proof is remembered.
    func contains(_ hash: UInt64) -> Bool {
        var place = first(of: hash, .proofs)
        while place != Self.none {
            let record = slots[Int(place)].record
            if record.hash.proofs == hash, record.minute >= now { return true }
            place = record.next.proofs
        }
        return false
    }

    /// How many proofs of a key are remembered.
    func count(of owner: UInt64) -> Int {
        tally(of: owner, until: now).count
    }

    /// How many proofs of a key are remembered, and which record counts those that end in a minute.
    func tally(of owner: UInt64, until end: UInt32) -> Tally {
        var tally = Tally(count: 0, place: Self.none)
        let minute = max(end, now)
        var place = first(of: owner, .owners)
        while place != Self.none {
            let record = slots[Int(place)].record
            if record.hash.owners == owner, record.minute >= now {
                tally.count += Int(record.tally)
                if record.minute == minute { tally.place = place }
            }
            place = record.next.owners
        }
        return tally
    }

    /// Whether there is a number for one record more.
    var hasRoom: Bool { slots.count < Self.none }

    /// Remembers a proof that is not remembered, for the moment at least; there must be room.
    mutating func insert(_ hash: UInt64, of owner: UInt64, until end: UInt32) {
        insert(hash, of: owner, until: end, countedIn: tally(of: owner, until: end))
    }

    /// Remembers a proof when the tally of its key and minute is known, and nothing has changed since.
    mutating func insert(_ hash: UInt64, of owner: UInt64, until end: UInt32, countedIn tally: Tally) {
        let place = slots.count
        let minute = max(end, now)
        addBucket(
            with: ReplayRecord(
                hash: PerIndex(proofs: hash, owners: owner),
                next: PerIndex(proofs: Self.none, owners: Self.none),
                minute: minute,
                tally: tally.place == Self.none ? 1 : 0
            )
        )
        link(place, .proofs)
        if tally.place == Self.none {
            link(place, .owners)
        } else {
            slots[Int(tally.place)].record.tally += 1
        }
        minutes.add(minute)
    }

    /// Removes a few records of the past.
    mutating func collect() {
        slots.releaseBlock()
        guard minutes.total < slots.count else { return }
        guard minutes.total > 0 else {
            slots.removeAll()
            return
        }
        var removals = 0
        for _ in 0..<Self.slotsPerStep where removals < Self.removalsPerStep {
            if hand >= slots.count { hand = 0 }
            if slots[hand].record.minute < now {
                remove(hand)
                removals += 1
            } else {
                hand += 1
            }
        }
    }

    /// Adds a slot and its buckets, which take their records from one bucket each.
    private mutating func addBucket(with record: ReplayRecord) {
        let added = slots.count
        slots.append(ReplaySlot(record: record, first: PerIndex(proofs: Self.none, owners: Self.none)))
        guard added > 0 else { return }
        let source = Self.parent(of: added)
        split(source, .proofs)
        split(source, .owners)
    }

    /// Puts the records of a bucket where they belong now.
    @inline(__always)
    private mutating func split(_ bucket: Int, _ index: ReplayIndex) {
        var place = slots[bucket].first[index]
        slots[bucket].first[index] = Self.none
        while place != Self.none {
            let next = slots[Int(place)].record.next[index]
            link(Int(place), index)
            place = next
        }
    }

    /// Gives the last slot's buckets back to where they came from, and then the slot.
    private mutating func removeLastBucket() {
        let last = slots.count - 1
        for index in [ReplayIndex.proofs, .owners] where last > 0 {
            let target = Self.parent(of: last)
            var place = slots[last].first[index]
            while place != Self.none {
                let next = slots[Int(place)].record.next[index]
                slots[Int(place)].record.next[index] = slots[target].first[index]
                slots[target].first[index] = place
                place = next
            }
        }
        slots.removeLast()
    }

    private mutating func remove(_ place: Int) {
        replace(place, with: slots[place].record.next.proofs, .proofs)
        if slots[place].record.tally > 0 { replace(place, with: slots[place].record.next.owners, .owners) }
        let last = slots.count - 1
        if place != last {
            replace(last, with: UInt32(place), .proofs)
            if slots[last].record.tally > 0 { replace(last, with: UInt32(place), .owners) }
            slots[place].record = slots[last].record
        }
        removeLastBucket()
    }

    /// Puts a record into its bucket.
    @inline(__always)
    private mutating func link(_ place: Int, _ index: ReplayIndex) {
        let bucket = Self.bucket(slots[place].record.hash[index], of: slots.count)
        slots[place].record.next[index] = slots[bucket].first[index]
        slots[bucket].first[index] = UInt32(place)
    }

    /// Changes the one reference that there is to a record.
    private mutating func replace(_ place: Int, with other: UInt32, _ index: ReplayIndex) {
        let bucket = Self.bucket(slots[place].record.hash[index], of: slots.count)
        var current = slots[bucket].first[index]
        guard current != place else {
            slots[bucket].first[index] = other
            return
        }
        while slots[Int(current)].record.next[index] != place { current = slots[Int(current)].record.next[index] }
        slots[Int(current)].record.next[index] = other
    }

    private func first(of hash: UInt64, _ index: ReplayIndex) -> UInt32 {
        slots.count > 0 ? slots[Self.bucket(hash, of: slots.count)].first[index] : Self.none
    }

    /// The bucket of a hash among so many; the lowest bits are not used, since they chose the shard.
    private static func bucket(_ hash: UInt64, of count: Int) -> Int {
        let mask = Int.max >> ((count - 1).leadingZeroBitCount - 1)
        let bucket = Int(truncatingIfNeeded: hash >> 8) & mask
        return bucket < count ? bucket : bucket & (mask >> 1)
    }

    /// The bucket whose records a bucket takes when it is added.
    private static func parent(of bucket: Int) -> Int {
        bucket & ~(1 << (Int.bitWidth - 1 - bucket.leadingZeroBitCount))
    }
}
