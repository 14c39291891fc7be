// SPDX-License-Identifier: Apache-2.0

/// Counts entries by the minute in which they expire: the number of expired ones is known before they are removed.
struct ReplayExpiryCounts {
    private struct Entry {
        let minute: UInt32
        var count: Int
    }

    /// The minute counted last, and most likely the next.
    ///
    /// It is kept outside of the array because its count changes with almost every proof.
    private var last = Entry(minute: 0, count: 0)
    /// The other minutes, each once and unordered.
    ///
    /// There are few, since proofs are stored for a few minutes.
    private var others: [Entry] = []

    /// The number of all entries.
    private(set) var total = 0

    @inline(__always)
    mutating func add(_ minute: UInt32) {
        if minute != last.minute { change(to: minute) }
        last.count += 1
        total += 1
    }

    /// Removes all minutes before one; returns how many entries expired in them.
    mutating func removeAll(before minute: UInt32) -> Int {
        var count = 0
        others.removeAll { entry in
            guard entry.minute < minute else { return false }
            count += entry.count
            return true
        }
        if last.minute < minute {
            count += last.count
            last.count = 0
        }
        total -= count
        return count
    }

    @inline(never)
    private mutating func change(to minute: UInt32) {
        let next: Entry
        if let place = others.firstIndex(where: { $0.minute == minute }) {
            next = others[place]
            others.swapAt(place, others.count - 1)
            others.removeLast()
        } else {
            next = Entry(minute: minute, count: 0)
        }
        if last.count > 0 { others.append(last) }
        last = next
    }
}
