// SPDX-License-Identifier: Apache-2.0

/// How many of the slots of an index are filled: more slots take less time, and fewer less memory.
struct ReplayLoadFactor {
    /// How many slots there are for ten entries that have moved.
    let slotsForTen: Int
    /// At how many of a hundred slots that were ever filled the entries move.
    let full: Int
    /// Below how many of a hundred slots with entries that count they move.
    let empty: Int
}
