// SPDX-License-Identifier: Apache-2.0

/// The load factor of an index: more slots save time, fewer save memory.
struct ReplayLoadFactor {
    /// The number of slots for ten entries after a move.
    let slotsForTen: Int
    /// The percentage of slots ever used at which the entries move.
    let full: Int
    /// The percentage of slots with valid entries below which the entries move.
    let empty: Int
}
