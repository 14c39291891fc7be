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

    private var slots = ReplaySlots<Entry>(capacity: smallestCapacity)
    /// Where the entries move to; without capacity when they do not.
    private var target = ReplaySlots<Entry>(capacity: 0)
    /// What belongs into slots before this one has moved.
    ///
    /// The slot before it was never filled: nothing reaches across.
    private var moved = 0
    private var minutes = ReplayMinutes()
    /// The minute up to which everything is past, itself not included; it never goes back.
    private(set) var now: UInt32 = 1

    /// How many entries count.
    var count: Int { minutes.total }
    /// Whether entries move.
    var isMoving: Bool { target.capacity > 0 }
    /// The memory of the entries, in bytes.
    var byteCount: Int { slots.byteCount + target.byteCount }

    /// Moves the time on; returns how many entries it has made past.
    mutating func advance(to minute: UInt32) -> Int {
        guard minute > now else { return 0 }
        now = minute
        return minutes.removeAll(before: minute)
    }

    /// Goes by all entries with a hash that count, of which at most one is wanted; returns the place of that one, or
    /// else that of a new entry.
    @inline(__always)
    func place(of hash: UInt64, where isWanted: (Entry) -> Bool) -> Place {
        if slots.home(of: hash) < moved {
            Place(inSlots: target.place(of: hash, at: now, where: isWanted), isMoved: true)
        } else {
            Place(inSlots: slots.place(of: hash, at: now, where: isWanted), isMoved: false)
        }
    }

    /// The entry at a place that is taken; its hash and minute stay as they are.
    subscript(place: Place) -> Entry {
        get { place.isMoved ? target[place.inSlots.slot] : slots[place.inSlots.slot] }
        set {
            if place.isMoved {
                target[place.inSlots.slot] = newValue
            } else {
                slots[place.inSlots.slot] = newValue
            }
        }
    }

    /// Adds an entry that counts, at its place.
    mutating func insert(_ entry: Entry, at place: Place) {
        self[place] = entry
        minutes.add(entry.minute)
    }

    /// Moves some entries, if they are to; with each insertion, so that there are always slots that were never filled.
    mutating func step() {
        guard isMoving else { return startMoving() }
        moved = slots.move(from: moved, atLeast: Self.slotsPerStep, to: &target, at: now)
        guard moved == slots.end else { return }
        swap(&slots, &target)
        target = ReplaySlots(capacity: 0)
        moved = 0
    }

    /// Up to 85 in 100 slots are filled, and at least 25 by entries that count; how many are after a move, the entry says.
    private mutating func startMoving() {
        let isFull = slots.used * 20 > slots.capacity * 17
        let isEmpty = count * 4 < slots.capacity && slots.capacity > Self.smallestCapacity
        guard isFull || isEmpty else { return }
        target = ReplaySlots(capacity: max(Self.smallestCapacity, count * Entry.slotsForTen / 10))
    }
}
