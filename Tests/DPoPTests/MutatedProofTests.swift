// SPDX-License-Identifier: Apache-2.0

import DPoP
import TestSupport
import Testing

/// A million of them run in `make fuzz`.
@Suite("Valid proofs of every default algorithm, changed at random", .computesForLong)
struct MutatedProofTests {
    @Test func `none is accepted but what means the same, and that is recognised as used`() async throws {
        var trial = try await ProofTrial(seed: 9449)
        #expect(trial.originals.count == 6)
        var steps: Set<ProofStep> = []
        var twins = 0
        for number in 0..<5000 {
            // Other tests wait for answers meanwhile.
            if number.isMultiple(of: 100) { await Task.yield() }
            switch trial.next() {
            case .refused(let step): steps.insert(step)
            case .twin: twins += 1
            case .unchanged: break
            case .finding(let text): Issue.record("\(text)")
            }
        }
        #expect(trial.rememberedCount == trial.originals.count)
        // The changes go deep: they fail at the form, at what is inside, and at the signature.
        #expect(twins > 0)
        #expect(steps.isSuperset(of: [.singleField, .wellFormed, .algorithm, .publicKey, .requiredClaims, .signature]))
    }

    @Test func `no change takes longer than fifty signatures`() async throws {
        var trial = try await ProofTrial(seed: 9450)
        let limit = 0.05
        for _ in 0..<1000 {
            let change = trial
            let seconds = ProcessorTime.leastSeconds(limit: limit) {
                trial = change
                _ = trial.next()
            }
            #expect(seconds < limit)
        }
    }
}
