// SPDX-License-Identifier: Apache-2.0

/// How the cost of a proof grows with its size and with the number of keys in rotation.
enum ProofGrowthRows {
    static let measurements = sizes + keys

    private static let sizes = [512, 1024, 2048, 4096, 8192].map { size in
        measurement("growth-proof-\(size)-characters") { try ProofScenario(content: .filled(to: size)) }
    }

    private static let keys = [1, 64, 4096].map { count in
        measurement("growth-proof-\(count)-keys") { try ProofScenario(keys: count) }
    }

    private static func measurement(
        _ name: String,
        _ scenario: @escaping @Sendable () throws -> ProofScenario
    ) -> Measurement {
        Measurement("growth", name) {
            let rounds = try await scenario().rounds(perTurn: 100, beside: OpenSSLReference())
            return [.times(name, rounds, beside: "EVP_PKEY_verify, key cached", target: nil)]
        }
    }
}
