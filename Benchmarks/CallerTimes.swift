// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import JOSE

/// What this many concurrent callers see, in wall-clock time: with the library, and without it as the reference.
struct CallerTimes {
    /// The median latency.
    private(set) var median = Rounds()
    /// The 99th percentile of the latency.
    private(set) var late = Rounds()
    /// The total time divided by the number of verifications: the reciprocal of the throughput.
    private(set) var each = Rounds()

    /// Measures ES256, on all processors.
    @MainActor
    static func measure(_ callers: Int, proofs count: Int) async throws -> CallerTimes {
        let scenario = try ProofScenario()
        let batchers = [nil, SignatureBatcher(try BatchRows.backend())]
        let proofs = try await scenario.makeProofs(2 * count)
        let stores = BatchRows.stores()
        var result = CallerTimes()
        for round in 0...Rounds.count {
            for (side, batcher) in batchers.enumerated() {
                let start = ThreadTime.wall()
                let times = try await scenario.latencies(
                    proofs,
                    side * count..<(side + 1) * count,
                    in: stores[round],
                    callers: callers,
                    with: batcher
                ).sorted()
                let all = ThreadTime.wall() - start
                guard round > 0 else { continue }
                let isReference = batcher == nil
                result.median.append(times[count / 2], isReference)
                result.late.append(times[count * 99 / 100], isReference)
                result.each.append(all / Double(count), isReference)
            }
        }
        return result
    }
}

extension Rounds {
    fileprivate mutating func append(_ value: Double, _ isReference: Bool) {
        if isReference { reference.append(value) } else { ours.append(value) }
    }
}
