// SPDX-License-Identifier: Apache-2.0

/// Entries that are found by a hash, each in one place of memory.
///
/// When too many slots or too few are in use, the entries move to others, in the order of their hashes and some with each
/// step: a hash tells by itself which side of the move it is on. The memory on one side goes as that on the other
/// comes. What is past counts no more from the first moment of the next minute; its slots are taken by new entries,
/// and what is left of it does not move.
struct ReplayIndex<Entry: ReplayEntry>: ~Copyable {
    /// Where an entry is, or where it would be, until something changes.
    struct Place {
        fileprivate let inSlots: ReplaySlots<Entry>.Place
        fileprivate let isMoved: Bool

        /// Whether there is an entry.
        var isTaken: Bool { inSlots.isTaken }
    }

    /// So many slots, at least, are left behind in a step.
    private static var slotsPerStep: Int { 64 }
    private static var smallestCapacity: Int { 16 }

    private var slots: ReplaySlots<Entry>
    /// Where the entries move to; without capacity when they do not.
    private var target: ReplaySlots<Entry>
    /// What belongs into slots before this one has moved.
    ///
    /// The slot before it was never filled: nothing reaches across.
    private var moved = 0
    /// With more slots in use than this, the entries move.
    private var mostUsed: Int
    /// With fewer entries that count than this, they move too.
    private var leastCount = 0
    private var minutes = ReplayExpiryCounts()
    private let memory: ReplayBlocks

    init(in memory: ReplayBlocks) {
        self.memory = memory
        slots = ReplaySlots(capacity: Self.smallestCapacity, in: memory)
        target = ReplaySlots(capacity: 0, in: memory)
        mostUsed = Self.smallestCapacity * Entry.tight.full / 100
    }

    /// How many entries count.
    var count: Int { minutes.total }
    /// Whether entries move.
    var isMoving: Bool { target.capacity > 0 }
    /// The memory of the entries, in bytes.
    var byteCount: Int { slots.byteCount + target.byteCount }

    /// Forgets what ends before a minute; returns how many entries that were.
    mutating func removeAll(before minute: UInt32) -> Int { minutes.removeAll(before: minute) }

    /// Goes by all entries with a hash that count, of which at most one is wanted; returns the place of that one, or
    /// else that of a new entry.
    @inline(__always)
    func place(of hash: UInt64, at now: UInt32, where isWanted: (Entry) -> Bool) -> Place {
        if slots.home(of: hash) < moved {
            Place(inSlots: target.place(of: hash, at: now, where: isWanted), isMoved: true)
        } else {
            Place(inSlots: slots.place(of: hash, at: now, where: isWanted), isMoved: false)
        }
    }

    /// Changes the entry at a place that is taken; its hash and minute stay as they are.
    @inline(__always)
    func update(_ place: Place, _ change: (inout Entry) -> Void) {
        if place.isMoved {
            target.update(place.inSlots.slot, change)
        } else {
            slots.update(place.inSlots.slot, change)
        }
    }

    /// Adds an entry that counts, at its place.
    @inline(__always)
    mutating func insert(_ entry: Entry, at place: Place) {
        if place.isMoved {
            target.put(entry, in: place.inSlots.slot)
        } else {
            slots.put(entry, in: place.inSlots.slot)
        }
        minutes.add(entry.minute)
    }

    /// Moves some entries, if they are to; with each insertion, so that there are always slots that were never filled.
    ///
    /// - Parameters:
    ///   - now: The first minute that counts.
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
