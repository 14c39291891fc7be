// SPDX-License-Identifier: Apache-2.0

/// Recognizes recently seen hashes.
///
/// It may forget a hash when others arrive, but never recognizes one that it has not seen.
package struct SeenFilter {
    private var noted: AssociativeCache<Void>

    /// Creates an empty filter.
    ///
    /// - Parameter capacity: The maximum number of hashes, each of which takes eight bytes and a flag: a power of two,
    ///   at least 4.
    package init(capacity: Int) {
        noted = AssociativeCache(capacity: capacity)
    }

    /// Records a hash.
    ///
    /// - Parameter number: The hash.
    /// - Returns: Whether it was seen recently.
    package mutating func note(_ number: UInt64) -> Bool {
        guard noted.value(of: number) == nil else { return true }
        _ = noted.put((), number)
        return false
    }
}
