// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE

/// Proofs of 64 callers at once, verified eight at a time, beside the raw operation of OpenSSL.
enum BatchRows {
    private static let callers = 64

    static let measurements = [
        measurement("es256", .es256, perCaller: 10, target: 2.5) { try OpenSSLReference() },
        measurement("eddsa", .edDSA, perCaller: 10, target: 5) { try Ed25519Reference() },
        measurement("es384", .es384, perCaller: 6, target: 8) {
            try OpenSSLReference(.ec(group: "secp384r1", digestSize: 48))
        },
        Measurement("batches", "dpop-verify-batch-alone") { [try await alone()] },
        Measurement("batches", "dpop-verify-batch-2-cores") { [try await twoCores()] },
        Measurement("batches", "dpop-verify-batch-latency") {
            var rows: [Row] = []
            for callers in [1, 8, 64] { rows += try await latency(callers) }
            return rows
        },
    ]

    /// The folder that `scripts/bootstrap` makes, or the library path.
    private static func accelerator() throws -> SignatureAccelerator {
        do throws(JOSEError) {
            return try SignatureAccelerator.load(from: ".build/accelerate")
        } catch {
            throw BenchmarkError("no lanes: \(error.reason); scripts/bootstrap accelerate installs them")
        }
    }

    private static func measurement(
        _ name: String,
        _ algorithm: SignatureAlgorithm,
        perCaller: Int,
        target: Double,
        _ reference: @escaping @Sendable () throws -> any SignatureReference
    ) -> Measurement {
        let name = "dpop-verify-batch-\(name)"
        return Measurement("batches", name) {
            let scenario = try ProofScenario(algorithm: algorithm)
            let batcher = SignatureBatcher(try accelerator(), verifiers: 1)
            let proofs = try await scenario.makeProofs(Rounds.operations(perTurn: callers * perCaller))
            let store = MemoryReplayStore()
            let reference = try reference()
            let rounds = try await Rounds.compareProcess(
                perTurn: callers * perCaller,
                ours: { try await scenario.verify(proofs, $0, in: store, callers: callers, with: batcher) },
                reference: { range in for _ in range { reference.verify() } }
            )
            return [
                .times(name, rounds, beside: "the bare operation of \(algorithm), key cached", target: .ratio(target))
            ]
        }
    }

    /// What a caller pays who never meets another one.
    @MainActor
    private static func alone() async throws -> Row {
        let perTurn = 100
        let scenario = try ProofScenario()
        let batcher = SignatureBatcher(try accelerator())
        let proofs = try await scenario.makeProofs(2 * Rounds.operations(perTurn: perTurn))
        let store = MemoryReplayStore()
        let rounds = try await Rounds.compareProcess(
            perTurn: perTurn,
            ours: { range in
                for number in range {
                    try await scenario.verify(proofs[2 * number], of: 2 * number, in: store, with: batcher)
                }
            },
            reference: { range in
                for number in range { try scenario.verify(proofs[2 * number + 1], of: 2 * number + 1, in: store) }
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
        let proofs = try await scenario.makeProofs((Rounds.count + 1) * 2 * perRound)
        let store = MemoryReplayStore()
        let rounds = try await Rounds.compareScaling(perRound: perRound) { isBoth, range in
            try await scenario.verify(proofs, range, in: store, callers: callers, with: isBoth ? two : one)
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
        let count = 6400
        let scenario = try ProofScenario()
        let accelerator = try accelerator()
        let proofs = try await scenario.makeProofs(2 * (Rounds.count + 1) * count)
        let store = MemoryReplayStore()
        var (median, late) = (Rounds(), Rounds())
        for round in 0...Rounds.count {
            for (side, batcher) in [nil, SignatureBatcher(accelerator)].enumerated() {
                let start = (2 * round + side) * count
                let times = try await scenario.latencies(
                    proofs,
                    start..<start + count,
                    in: store,
                    callers: callers,
                    with: batcher
                ).sorted()
                guard round > 0 else { continue }
                median.append(times[count / 2], isReference: batcher == nil)
                late.append(times[count * 99 / 100], isReference: batcher == nil)
            }
        }
        return [
            .times("dpop-batch-latency-\(callers)-p50", median, beside: "without the library", target: nil),
            .times("dpop-batch-latency-\(callers)-p99", late, beside: "without the library", target: nil),
        ]
    }
}

extension Rounds {
    fileprivate mutating func append(_ value: Double, isReference: Bool) {
        if isReference { reference.append(value) } else { ours.append(value) }
    }
}
