// SPDX-License-Identifier: Apache-2.0

/// A FIFO queue in a ring buffer: removing the oldest element is O(1).
struct RingBuffer<Element> {
    private static var smallestCapacity: Int { 64 }

    /// The count is a power of two, so that a mask replaces the division.
    private var places: [Element?] = []
    private var first = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == places.count { grow() }
        places[(first + count) & (places.count - 1)] = element
        count += 1
    }

    /// Removes up to `limit` elements, the oldest first.
    mutating func takeOldest(_ limit: Int) -> [Element] {
        let taken = min(limit, count)
        guard taken > 0 else { return [] }
        var oldest: [Element] = []
        oldest.reserveCapacity(taken)
        for _ in 0..<taken {
            if let element = places[first].take() { oldest.append(element) }
            first = (first + 1) & (places.count - 1)
        }
        count -= taken
        return oldest
    }

    private mutating func grow() {
        let waiting = takeOldest(count)
        places = [Element?](repeating: nil, count: max(Self.smallestCapacity, 2 * places.count))
        first = 0
        for element in waiting { append(element) }
    }
}
