// SPDX-License-Identifier: Apache-2.0

/// Tells for the names of most objects that no two are the same, without comparing them: each has a bit of its own.
struct NameBloomFilter {
    private var seen: UInt64 = 0
    /// Whether two names may be the same.
    private(set) var mayRepeat = false

    /// Notes a name by what tells those apart that OAuth knows.
    mutating func note(first: UInt8, last: UInt8, count: Int) {
        // Shifting masks the distance: names that differ may share a bit, the same one always does.
        let bit = 1 &<< (3 &* UInt64(first) &+ UInt64(last) &+ UInt64(truncatingIfNeeded: count))
        mayRepeat = mayRepeat || seen & bit != 0
        seen |= bit
    }

    /// Notes a name of which nothing is known.
    mutating func noteAny() {
        mayRepeat = true
    }
}
