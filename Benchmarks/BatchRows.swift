// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import DPoP
import JOSE

/// Proofs of 64 callers at once, verified eight at a time on one core, beside the raw operation of OpenSSL.
///
/// In each round the same proofs come again, to a store that knows none of them: making them would take longer than all else.
enum BatchRows {
    private static let callers = 64

    static let measurements =
        [
            algorithm("es256", .es256, perCaller: 40, target: 2.5) { try OpenSSLReference() },
            algorithm("eddsa", .edDSA, perCaller: 40, target: 5) { try Ed25519Reference() },
            algorithm("es384", .es384, perCaller: 10, target: 8) {
                try OpenSSLReference(.ec(group: "secp384r1", digestSize: 48))
            },
        ].flatMap(\.self) + [
            Measurement("batches", "dpop-verify-batch-alone") { [try await alone()] },
            Measurement("batches", "dpop-verify-batch-2-cores") { [try await twoCores()] },
            Measurement("batches", "dpop-verify-batch-latency") {
                var rows: [Row] = []
                for callers in [1, 8, 64] { rows += try await latency(callers) }
                return rows
            },
        ]

    /// The folder that `scripts/bootstrap` makes, or the library path.
    static func accelerator() throws -> SignatureAccelerator {
        do throws(BatchVerificationError) {
            return try SignatureAccelerator.load(from: ".build/accelerate")
        } catch {
            throw BenchmarkError.missing("no lanes: \(error.reason); scripts/bootstrap accelerate installs them")
        }
    }

    /// A store for each round.
    static func stores() -> [MemoryReplayStore] { (0...Rounds.count).map { _ in MemoryReplayStore() } }

    /// Two rows: 64 callers that each have one proof after the other, and one caller that has 64 proofs at a time.
    private static func algorithm(
        _ name: String,
        _ algorithm: SignatureAlgorithm,
        perCaller: Int,
        target: Double,
        _ reference: @escaping @Sendable () throws -> any SignatureReference
    ) -> [Measurement] {
        [(name: "dpop-verify-batch-\(name)", isTogether: false), ("dpop-verify-together-\(name)", true)].map { row in
            Measurement("batches", row.name) {
                let scenario = try ProofScenario(algorithm: algorithm)
                let batcher = SignatureBatcher(try accelerator(), verifiers: 1)
                let perTurn = callers * perCaller
                let proofs = try await scenario.makeProofs(Rounds.processTurns * perTurn)
                let (stores, reference) = (stores(), try reference())
                let rounds = try await OneProcessor.run {
                    try await Rounds.compareProcess(
                        perTurn: perTurn,
                        ours: { round, range in
                            let store = stores[round]
                            if row.isTogether {
                                try await scenario.verifyTogether(proofs, range, in: store, by: callers, with: batcher)
                            } else {
                                try await scenario.verify(proofs, range, in: store, callers: callers, with: batcher)
                            }
                        },
                        reference: { _, range in for _ in range { reference.verify() } }
                    )
                }
                let beside = "the bare operation of \(algorithm), key cached"
                return [.times(row.name, rounds, beside: beside, target: row.isTogether ? nil : .ratio(target))]
            }
        }
    }

    /// What a caller pays who never meets another one.
    @MainActor
    private static func alone() async throws -> Row {
        let perTurn = 500
        let scenario = try ProofScenario()
        let batcher = SignatureBatcher(try accelerator())
        let proofs = try await scenario.makeProofs(2 * Rounds.processTurns * perTurn)
        let stores = stores()
        let rounds = try await Rounds.compareProcess(
            perTurn: perTurn,
            ours: { round, range in
                for number in range {
                    try await scenario.verify(proofs[2 * number], of: 2 * number, in: stores[round], with: batcher)
                }
            },
            reference: { round, range in
                for number in range {
                    try scenario.verify(proofs[2 * number + 1], of: 2 * number + 1, in: stores[round])
                }
            }
        )
        return .times(
            "dpop-verify-batch-alone",
            rounds,
            beside: "the same without a batcher",
            target: .atMost(rounds.reference.median * 1e6 + 3)
        )
    }

    /// How many times more two cores do than one would in the processor time that one verifier takes.
    @MainActor
    private static func twoCores() async throws -> Row {
        let perRound = callers * 40
        let scenario = try ProofScenario()
        let accelerator = try accelerator()
        let (one, two) = (
            SignatureBatcher(accelerator, verifiers: 1), SignatureBatcher(accelerator, verifiers: 2)
        )
        let proofs = try await scenario.makeProofs(2 * perRound)
        let stores = stores()
        let rounds = try await Rounds.compareScaling(perRound: perRound) { isBoth, round, range in
            let batcher = isBoth ? two : one
            try await scenario.verify(proofs, range, in: stores[round], callers: callers, with: batcher)
        }
        return .multiples(
            "dpop-verify-batch-2-cores",
            rounds,
            beside: "the processors that the machine had to give meanwhile",
            target: .atLeast(1.9)
        )
    }

    /// How long a caller waits, by the clock on the wall, with the library and without.
    @MainActor
    private static func latency(_ callers: Int) async throws -> [Row] {
        let times = try await CallerTimes.measure(callers, proofs: 3200)
        let name = "dpop-batch-latency-\(callers)"
        return [
            .times("\(name)-p50", times.median, beside: "without the library", target: nil),
            .times("\(name)-p99", times.late, beside: "without the library", target: nil),
        ]
    }
}
