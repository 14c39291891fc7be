// SPDX-License-Identifier: Apache-2.0

/// A histogram of request durations.
struct Histogram {
    /// The upper limits of the buckets, in microseconds; one more bucket has no limit.
    static let limits: [Int64] = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000,
    ]

    private(set) var counts = [Int](repeating: 0, count: Histogram.limits.count + 1)
    private(set) var sum: Int64 = 0

    mutating func add(microseconds: Int64) {
        counts[Self.limits.firstIndex { microseconds <= $0 } ?? Self.limits.count] += 1
        sum += microseconds
    }

    /// Cumulative counts for each limit; the last is the total.
    var cumulative: [Int] {
        var total = 0
        return counts.map { count in
            total += count
            return total
        }
    }
}
