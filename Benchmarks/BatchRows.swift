// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import DPoP
import JOSE

/// Proofs of 64 concurrent callers, verified eight at a time on one core, compared with the raw operation of OpenSSL.
///
/// Each round uses the same proofs with a new, empty store: making new proofs would take longer than everything else.
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

    /// Loads the library from the folder that `scripts/bootstrap` makes, or from the library path.
    static func backend() throws -> BatchBackend {
        do throws(BatchVerificationError) {
            return try BatchBackend.load(from: ".build/accelerate")
        } catch {
            throw BenchmarkError.missing("no lanes: \(error.reason); scripts/bootstrap accelerate installs them")
        }
    }

    /// One store per round.
    static func stores() -> [MemoryReplayStore] { (0...Rounds.count).map { _ in MemoryReplayStore() } }

    /// Two rows: 64 callers with one proof at a time each, and one caller with 64 proofs at a time.
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
                let batcher = SignatureBatcher(try backend(), verifiers: 1)
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

    /// The cost of batching for a caller that is always alone.
    @MainActor
    private static func alone() async throws -> Row {
        let perTurn = 500
        let scenario = try ProofScenario()
        let batcher = SignatureBatcher(try backend())
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

    /// The throughput of two cores relative to one, in the processor time of one verifier.
    @MainActor
    private static func twoCores() async throws -> Row {
        let perRound = callers * 40
        let scenario = try ProofScenario()
        let backend = try backend()
        let (one, two) = (
            SignatureBatcher(backend, verifiers: 1), SignatureBatcher(backend, verifiers: 2)
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

    /// How long a caller waits, in wall-clock time, with the library and without.
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
