// SPDX-License-Identifier: Apache-2.0

/// A hash index in which each entry has one location in memory.
///
/// If too many or too few slots are in use, the entries move to a new table in the order of their hashes, a few with
/// each insertion. A hash alone determines in which of the two tables its entry is. The old table frees its memory as
/// the new one allocates. Entries expire at the first moment of the next minute: new entries take their slots, and
/// expired entries do not move.
struct ReplayIndex<Entry: ReplayEntry>: ~Copyable {
    /// The location of an entry, or of a new one; valid until the index changes.
    struct Place {
        fileprivate let inSlots: ReplaySlots<Entry>.Place
        fileprivate let isMoved: Bool

        var isTaken: Bool { inSlots.isTaken }
    }

    /// The minimum number of slots that one step moves.
    private static var slotsPerStep: Int { 64 }
    private static var smallestCapacity: Int { 16 }

    private var slots: ReplaySlots<Entry>
    /// The table that entries move to; its capacity is zero while no move is in progress.
    private var target: ReplaySlots<Entry>
    /// Entries whose hashes belong in slots before this one have moved.
    ///
    /// The slot before it was never used, so no probe sequence crosses it.
    private var moved = 0
    /// The number of used slots above which the entries move.
    private var mostUsed: Int
    /// The number of valid entries below which the entries move.
    private var leastCount = 0
    private var minutes = ReplayExpiryCounts()
    private let memory: ReplayBlocks

    init(in memory: ReplayBlocks) {
        self.memory = memory
        slots = ReplaySlots(capacity: Self.smallestCapacity, in: memory)
        target = ReplaySlots(capacity: 0, in: memory)
        mostUsed = Self.smallestCapacity * Entry.tight.full / 100
    }

    /// The number of valid entries.
    var count: Int { minutes.total }
    /// Whether a move is in progress.
    var isMoving: Bool { target.capacity > 0 }
    /// The memory of the entries, in bytes.
    var byteCount: Int { slots.byteCount + target.byteCount }

    /// Expires entries that end before a minute; returns how many.
    mutating func removeAll(before minute: UInt32) -> Int { minutes.removeAll(before: minute) }

    /// Visits all valid entries with a hash, of which at most one is wanted.
    ///
    /// Returns its location, or that of a new entry.
    @inline(__always)
    func place(of hash: UInt64, at now: UInt32, where isWanted: (Entry) -> Bool) -> Place {
        if slots.home(of: hash) < moved {
            Place(inSlots: target.place(of: hash, at: now, where: isWanted), isMoved: true)
        } else {
            Place(inSlots: slots.place(of: hash, at: now, where: isWanted), isMoved: false)
        }
    }

    /// Changes the entry at a taken location.
    ///
    /// Its hash and minute must stay the same.
    @inline(__always)
    func update(_ place: Place, _ change: (inout Entry) -> Void) {
        if place.isMoved {
            target.update(place.inSlots.slot, change)
        } else {
            slots.update(place.inSlots.slot, change)
        }
    }

    /// Adds a valid entry at its location.
    @inline(__always)
    mutating func insert(_ entry: Entry, at place: Place) {
        if place.isMoved {
            target.put(entry, in: place.inSlots.slot)
        } else {
            slots.put(entry, in: place.inSlots.slot)
        }
        minutes.add(entry.minute)
    }

    /// Moves some entries if a move is due.
    ///
    /// Each insertion calls it, so that unused slots always remain.
    ///
    /// - Parameters:
    ///   - now: The first minute that has not passed.
    ///   - isRoomy: Whether there is memory for more slots.
    @inline(__always)
    mutating func step(at now: UInt32, isRoomy: Bool) {
        if isMoving {
            move(at: now)
        } else if slots.used > mostUsed || count < leastCount {
            startMoving(isRoomy ? Entry.roomy : Entry.tight)
        }
    }

    @inline(never)
    private mutating func move(at now: UInt32) {
        moved = slots.move(from: moved, atLeast: Self.slotsPerStep, to: &target, at: now)
        guard moved == slots.end else { return }
        swap(&slots, &target)
        target = ReplaySlots(capacity: 0, in: memory)
        moved = 0
    }

    @inline(never)
    private mutating func startMoving(_ filling: ReplayLoadFactor) {
        let capacity = max(Self.smallestCapacity, count * filling.slotsForTen / 10)
        target = ReplaySlots(capacity: capacity, in: memory)
        mostUsed = capacity * filling.full / 100
        leastCount = capacity > Self.smallestCapacity ? capacity * filling.empty / 100 : 0
    }
}
