// SPDX-License-Identifier: Apache-2.0

/// How many signatures a ``SignatureBatcher`` verified one by one, and how full its batches were.
public struct SignatureBatchStatistics: Sendable, Hashable {
    /// How many signatures were verified by themselves.
    public private(set) var singles = 0
    /// How many batches had so many signatures: at index 0 those of one, at index 7 those of eight.
    public private(set) var batchesBySize = [Int](repeating: 0, count: SignatureBatch.maximumCount)

    /// How many callers wait now for a verifier.
    public internal(set) var waiting = 0

    /// How many batches there were.
    public var batches: Int { batchesBySize.reduce(0, +) }
    /// How many signatures were verified in batches.
    public var batched: Int { batchesBySize.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element } }

    /// Nothing verified yet.
    init() {}

    /// Counts a group that went together, in lanes or one by one.
    mutating func count(_ size: Int, isBatch: Bool) {
        if isBatch { batchesBySize[size - 1] += 1 } else { singles += size }
    }

    /// Adds what another algorithm counted.
    mutating func add(_ other: SignatureBatchStatistics) {
        singles += other.singles
        waiting += other.waiting
        for index in batchesBySize.indices { batchesBySize[index] += other.batchesBySize[index] }
    }
}
