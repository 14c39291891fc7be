// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import SigningKeys

/// Signatures of a key in a token beside the calls of its module.
enum TokenRows {
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    private static let referenceName = "C_SignInit and C_Sign, one session"
    /// As many callers as keep the thread of a session busy.
    private static let callers = 16

    static let measurements = [
        Measurement("tokens", "pkcs11-sign-es256") {
            guard let stage = try await TokenBench.prepare() else { return [] }
            let rows = try await [throughput(stage)] + call(stage)
            try stage.end()
            return rows
        }
    ]

    /// Many callers, one session: by the clock on the wall.
    @MainActor
    private static func throughput(_ stage: TokenBench) async throws -> Row {
        let perTurn = 400
        var rounds = Rounds()
        for round in 0...Rounds.count {
            var (ours, reference) = (0.0, 0.0)
            for _ in 0..<Rounds.turns {
                let start = ThreadTime.wall()
                try stage.reference.sign(count: perTurn)
                let middle = ThreadTime.wall()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers {
                        group.addTask {
                            for _ in 0..<perTurn / callers { _ = try await stage.key.sign(stage.message) }
                        }
                    }
                    try await group.waitForAll()
                }
                reference += middle - start
                ours += ThreadTime.wall() - middle
            }
            guard round > 0 else { continue }
            rounds.ours.append(ours / Double(Rounds.turns * perTurn))
            rounds.reference.append(reference / Double(Rounds.turns * perTurn))
        }
        return .times("pkcs11-sign-es256", rounds, beside: referenceName, target: .ratio(0.90))
    }

    /// One caller, who waits for each signature: to the thread of the session and back; by the clock, and by processor time.
    @MainActor
    private static func call(_ stage: TokenBench) async throws -> [Row] {
        let rounds = try await Rounds.compareCalls(
            perTurn: 100,
            ours: { _ = try await stage.key.sign(stage.message) },
            reference: { try stage.reference.sign(count: 1) }
        )
        return [
            .times("pkcs11-sign-es256-call", rounds.wall, beside: referenceName, target: nil),
            .times("pkcs11-sign-es256-call-cpu", rounds.processor, beside: referenceName, target: nil),
        ]
    }
}
