// SPDX-License-Identifier: Apache-2.0

import DPoP

/// Making and verifying proofs, compared with the raw signature operation of OpenSSL.
enum ProofRows {
    static let measurements = [
        Measurement("proofs", "dpop-verify-es256") {
            [try await verification("dpop-verify-es256", htu: ProofScenario.uri, target: .ratio(0.90))]
        },
        Measurement("proofs", "dpop-verify-es256-other-spelling") {
            let htu = "HTTPS://API.Example.com:443/a/../%6Eotes"
            return [try await verification("dpop-verify-es256-other-spelling", htu: htu, target: nil)]
        },
        Measurement("proofs", "dpop-verify-es256-new-keys") {
            // Many more than the caches hold: each header is parsed, and each key imported.
            let rounds = try await ProofScenario(keys: 4096).rounds(perTurn: 100, beside: OpenSSLReference())
            return [
                .times("dpop-verify-es256-new-keys", rounds, beside: "EVP_PKEY_verify, key cached", target: nil)
            ]
        },
        Measurement("proofs", "dpop-verify-es256-2-threads") { [try await scaling()] },
        Measurement("proofs", "dpop-create-es256") { [try await creation()] },
    ]

    @MainActor
    private static func verification(_ name: String, htu: String, target: Row.Target?) async throws -> Row {
        let rounds = try await ProofScenario(htu: htu).rounds(perTurn: 100, beside: OpenSSLReference())
        return .times(name, rounds, beside: "EVP_PKEY_verify, key cached", target: target)
    }

    @MainActor
    private static func scaling() async throws -> Row {
        let perRound = 1000
        let scenario = try ProofScenario()
        let proofs = try await scenario.makeProofs((Rounds.count + 1) * 3 * perRound)
        let store = MemoryReplayStore()
        let references = [try OpenSSLReference(), try OpenSSLReference()]
        let rounds = Rounds.compareScaling(
            perRound: perRound,
            ours: { _, range in
                for number in range {
                    precondition((try? scenario.verify(proofs[number], of: number, in: store)) != nil)
                }
            },
            reference: { thread, range in for _ in range { references[thread].verify() } }
        )
        return .multiples(
            "dpop-verify-es256-2-threads",
            rounds,
            beside: "EVP_PKEY_verify, a context per thread",
            target: .atLeast(1.95)
        )
    }

    @MainActor
    private static func creation() async throws -> Row {
        let maker = try ProofMaker(ProofScenario(keys: 1))
        let reference = try OpenSSLReference()
        let rounds = try await Rounds.compare(
            perTurn: 200,
            ours: { range in for _ in range { _ = try await maker.make() } },
            reference: { range in for _ in range { reference.sign() } }
        )
        return .times("dpop-create-es256", rounds, beside: "EVP_PKEY_sign, key cached", target: .ratio(0.87))
    }
}
