// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import JOSE

/// The guard of an API with 64 concurrent requests; access tokens and proofs are verified eight at a time, compared
/// with one by one.
enum GuardRows {
    private static let callers = 64

    static let measurements = [Measurement("batches", "guard-batch-es256") { [try await judgement()] }]

    @MainActor
    private static func judgement() async throws -> Row {
        let perTurn = callers * 20
        let scenario = try await GuardScenario()
        let batcher = SignatureBatcher(try BatchRows.backend(), verifiers: 1)
        let requests = try await scenario.makeRequests(Rounds.processTurns * perTurn)
        let guards = try (0...Rounds.count).map { _ in try scenario.makeGuard(batcher) }
        let guardsWithout = try (0...Rounds.count).map { _ in try scenario.makeGuard(nil) }
        let rounds = try await Rounds.compareProcess(
            perTurn: perTurn,
            ours: { round, range in
                try await scenario.judge(requests, range, guards[round], callers: callers)
            },
            reference: { round, range in
                try await scenario.judge(requests, range, guardsWithout[round], callers: callers)
            }
        )
        return .times("guard-batch-es256", rounds, beside: "the same guard, one by one", target: nil)
    }
}
