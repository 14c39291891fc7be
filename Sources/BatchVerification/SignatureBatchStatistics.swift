// SPDX-License-Identifier: Apache-2.0

/// Counts the signatures that a ``SignatureBatcher`` verified singly, and the sizes of its batches.
public struct SignatureBatchStatistics: Sendable, Hashable {
    /// The number of signatures that were verified singly.
    public private(set) var singles = 0
    /// The number of batches of each size: index 0 for batches of one, index 7 for batches of eight.
    public private(set) var batchesBySize = [Int](repeating: 0, count: SignatureBatch.maximumCount)

    /// The number of callers that are waiting for a verifier.
    public internal(set) var waiting = 0

    /// The number of batches.
    public var batches: Int { batchesBySize.reduce(0, +) }
    /// The number of signatures that were verified in batches.
    public var batched: Int { batchesBySize.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element } }

    init() {}

    /// Counts a group of signatures, verified in a batch or one by one.
    mutating func count(_ size: Int, isBatch: Bool) {
        if isBatch { batchesBySize[size - 1] += 1 } else { singles += size }
    }

    /// Adds the counts of another algorithm.
    mutating func add(_ other: SignatureBatchStatistics) {
        singles += other.singles
        waiting += other.waiting
        for index in batchesBySize.indices { batchesBySize[index] += other.batchesBySize[index] }
    }
}
