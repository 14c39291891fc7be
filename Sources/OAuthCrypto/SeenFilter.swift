// SPDX-License-Identifier: Apache-2.0

/// Tells what comes again from what comes once: a number that was noted lately is recognised.
///
/// A number may be forgotten when others come, and is never recognised without having been noted.
package struct SeenFilter {
    private var noted: AssociativeCache<Void>

    /// Notes nothing yet.
    ///
    /// - Parameter capacity: How many numbers at most, eight bytes and a flag each: a power of two, at least 4.
    package init(capacity: Int) {
        noted = AssociativeCache(capacity: capacity)
    }

    /// Notes a number.
    ///
    /// - Parameter number: The number.
    /// - Returns: Whether it was noted lately.
    package mutating func note(_ number: UInt64) -> Bool {
        guard noted.value(of: number) == nil else { return true }
        _ = noted.put((), number)
        return false
    }
}
