// SPDX-License-Identifier: Apache-2.0

/// How many proofs end in which minute: what is past is known at once, however long its removal takes.
struct ReplayMinutes {
    private struct Entry {
        let minute: UInt32
        var count: Int
    }

    /// In the order of time; few, since proofs are remembered for a few minutes.
    private var entries: [Entry] = []

    /// How many proofs there are in all.
    private(set) var total = 0

    mutating func add(_ minute: UInt32) {
        total += 1
        let place = entries.lastIndex { $0.minute <= minute }
        if let place, entries[place].minute == minute {
            entries[place].count += 1
        } else {
            entries.insert(Entry(minute: minute, count: 1), at: place.map { $0 + 1 } ?? 0)
        }
    }

    /// Forgets the minutes before one; returns how many proofs ended in them.
    mutating func removeAll(before minute: UInt32) -> Int {
        let past = entries.prefix { $0.minute < minute }
        guard !past.isEmpty else { return 0 }
        let count = past.reduce(0) { $0 + $1.count }
        entries.removeFirst(past.count)
        total -= count
        return count
    }
}
