// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import JOSE

/// What so many callers at once see, by the clock on the wall: with the library, and as reference without.
struct CallerTimes {
    /// How long half of the verifications took at most.
    private(set) var median = Rounds()
    /// How long 99 of 100 took at most.
    private(set) var late = Rounds()
    /// The time of all of them for each: the reciprocal of the throughput.
    private(set) var each = Rounds()

    /// Measures ES256, on all processors that there are.
    @MainActor
    static func measure(_ callers: Int, proofs count: Int) async throws -> CallerTimes {
        let scenario = try ProofScenario()
        let batchers = [nil, SignatureBatcher(try BatchRows.accelerator())]
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
