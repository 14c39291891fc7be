// SPDX-License-Identifier: Apache-2.0

/// Tells what comes again from what comes once: a number that was noted lately is recognised.
///
/// Each number has one place, which it shares with others: a number may be forgotten by the next one, and is never
/// recognised without having been noted.
package struct RecentNumbers {
    private var places: [UInt64?]

    /// Notes nothing yet.
    ///
    /// - Parameter capacity: How many numbers at most, eight bytes and a flag each.
    package init(capacity: Int) {
        places = [UInt64?](repeating: nil, count: capacity)
    }

    /// Notes a number.
    ///
    /// - Parameter number: The number, whose lower bits tell where it stands.
    /// - Returns: Whether it was noted lately.
    package mutating func note(_ number: UInt64) -> Bool {
        let index = Int(number % UInt64(places.count))
        guard places[index] != number else { return true }
        places[index] = number
        return false
    }
}
