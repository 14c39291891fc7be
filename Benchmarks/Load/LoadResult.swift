// SPDX-License-Identifier: Apache-2.0

/// The results of one worker, or of all.
struct LoadResult: Sendable {
    /// Seconds from a request to the end of its response, for successful requests.
    var latencies: [Double] = []
    /// Other requests, to continue after a failure.
    var others = 0
    private(set) var failures = 0
    private(set) var firstFailure: String?

    mutating func add(failure: String) {
        failures += 1
        if firstFailure == nil { firstFailure = failure }
    }

    mutating func add(_ other: LoadResult) {
        latencies += other.latencies
        others += other.others
        failures += other.failures
        if firstFailure == nil { firstFailure = other.firstFailure }
    }

    /// The latency that a share of the requests does not exceed; sorts each time.
    func latency(_ share: Double) -> Double {
        let sorted = latencies.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)]
    }
}
