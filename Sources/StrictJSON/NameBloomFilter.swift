// SPDX-License-Identifier: Apache-2.0

/// A 64-bit Bloom filter over member names: rules out duplicates in most objects without comparing names.
struct NameBloomFilter {
    private var seen: UInt64 = 0
    /// Whether two names may be equal.
    private(set) var mayRepeat = false

    /// Adds a name, by features that distinguish the names used in OAuth.
    mutating func note(first: UInt8, last: UInt8, count: Int) {
        // The shift masks its distance: different names may share a bit, equal names always do.
        let bit = 1 &<< (3 &* UInt64(first) &+ UInt64(last) &+ UInt64(truncatingIfNeeded: count))
        mayRepeat = mayRepeat || seen & bit != 0
        seen |= bit
    }

    /// Adds a name with unknown features.
    mutating func noteAny() {
        mayRepeat = true
    }
}
