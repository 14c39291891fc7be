// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import JOSE

/// The guard of an API and the gateway, each compared with verifying one signature; and the guard with 64 concurrent
/// requests, whose signatures are verified eight at a time, compared with one by one.
enum GuardRows {
    private static let callers = 64
    /// Requests in each turn of one that comes after the other.
    private static let perTurn = 1000

    static let measurements = [
        Measurement("guards", "guard-es256") { [try await guarded("guard-es256", remembered: 10_000)] },
        Measurement("guards", "guard-es256-new-token") {
            [try await guarded("guard-es256-new-token", remembered: 0)]
        },
        Measurement("guards", "gateway-es256") { [try await asked("gateway-es256")] },
        Measurement("batches", "guard-batch-es256") { [try await judgement()] },
    ]

    @MainActor
    private static func guarded(_ name: String, remembered: Int) async throws -> Row {
        let scenario = try await GuardScenario()
        let requests = try await scenario.makeRequests(Rounds.processTurns * perTurn)
        let guards = try (0...Rounds.count).map { _ in try scenario.makeGuard(nil, remembered: remembered) }
        return try await row(name) { try await scenario.judge(requests[$1], guards[$0]) }
    }

    @MainActor
    private static func asked(_ name: String) async throws -> Row {
        let scenario = try await GuardScenario()
        let requests = try await scenario.makeRequests(Rounds.processTurns * perTurn)
        let questions = requests.map(scenario.question)
        let gateways = try (0...Rounds.count).map { _ in try scenario.makeGateway() }
        return try await row(name) { try await scenario.ask(questions[$1], gateways[$0]) }
    }

    @MainActor
    private static func row(_ name: String, ours: RoundBatch) async throws -> Row {
        let reference = try OpenSSLReference()
        let rounds = try await Rounds.compareProcess(
            perTurn: perTurn,
            ours: ours,
            reference: { _, range in for _ in range { reference.verify() } }
        )
        return .times(name, rounds, beside: "EVP_PKEY_verify, key cached", target: nil)
    }

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
