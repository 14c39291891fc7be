// SPDX-License-Identifier: Apache-2.0

/// What an index of a shard holds: known by a hash of 64 bits, until a minute is over.
protocol ReplayEntry: BitwiseCopyable {
    /// A slot that no entry was in yet; its minute is zero.
    static var none: Self { get }
    /// The slots when most keys have many proofs: time counts, and there is memory for it.
    static var roomy: ReplayLoadFactor { get }
    /// The slots when most keys have few proofs: 48 bytes for a proof with all that belongs to it are not more.
    static var tight: ReplayLoadFactor { get }
    /// What the entry is found by.
    var hash: UInt64 { get }
    /// The last minute in which the entry counts, from 1970; never zero.
    var minute: UInt32 { get }
}

/// A proof that is remembered, 12 bytes.
struct ProofEntry: ReplayEntry {
    static let none = ProofEntry(hash: 0, minute: 0)
    static var roomy: ReplayLoadFactor { ReplayLoadFactor(slotsForTen: 28, full: 65, empty: 18) }
    static var tight: ReplayLoadFactor { ReplayLoadFactor(slotsForTen: 18, full: 85, empty: 25) }

    private let low: UInt32
    private let high: UInt32
    let minute: UInt32

    init(hash: UInt64, minute: UInt32) {
        low = UInt32(truncatingIfNeeded: hash)
        high = UInt32(truncatingIfNeeded: hash >> 32)
        self.minute = minute
    }

    var hash: UInt64 { UInt64(high) << 32 | UInt64(low) }
}

/// How many proofs of a key end in a minute, 16 bytes.
struct OwnerEntry: ReplayEntry {
    static let none = OwnerEntry(hash: 0, minute: 0, tally: 0)
    static var roomy: ReplayLoadFactor { ReplayLoadFactor(slotsForTen: 60, full: 35, empty: 8) }
    static var tight: ReplayLoadFactor { ReplayLoadFactor(slotsForTen: 16, full: 85, empty: 25) }

    let hash: UInt64
    let minute: UInt32
    var tally: UInt32
}
