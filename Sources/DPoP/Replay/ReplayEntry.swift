// SPDX-License-Identifier: Apache-2.0

/// An entry in the index of a shard: found by a hash of 64 bits, valid until a minute has passed.
protocol ReplayEntry: BitwiseCopyable {
    /// An unused slot; its minute is zero.
    static var none: Self { get }
    /// The load factor if most keys have many proofs: optimized for time, since memory suffices.
    static var roomy: ReplayLoadFactor { get }
    /// The load factor if most keys have few proofs: keeps a proof within 48 bytes in total.
    static var tight: ReplayLoadFactor { get }
    /// The hash by which the entry is found.
    var hash: UInt64 { get }
    /// The last minute in which the entry is valid, since 1970; never zero.
    var minute: UInt32 { get }
}

/// A stored proof, 12 bytes.
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

/// The number of proofs of a key that expire in a minute, 16 bytes.
struct OwnerEntry: ReplayEntry {
    static let none = OwnerEntry(hash: 0, minute: 0, tally: 0)
    static var roomy: ReplayLoadFactor { ReplayLoadFactor(slotsForTen: 60, full: 35, empty: 8) }
    static var tight: ReplayLoadFactor { ReplayLoadFactor(slotsForTen: 16, full: 85, empty: 25) }

    let hash: UInt64
    let minute: UInt32
    var tally: UInt32
}
