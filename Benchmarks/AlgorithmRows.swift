// SPDX-License-Identifier: Apache-2.0

import JOSE

/// The complete verification of a proof compared with the bare operation of the algorithm, for each algorithm that
/// servers may allow.
enum AlgorithmRows {
    static let measurements = [
        measurement(.es384, perTurn: 10) { try OpenSSLReference(.ec(group: "secp384r1", digestSize: 48)) },
        measurement(.es512, perTurn: 10) { try OpenSSLReference(.ec(group: "secp521r1", digestSize: 64)) },
        measurement(.edDSA, perTurn: 50) { try Ed25519Reference() },
        measurement(.rs256, perTurn: 20) { try OpenSSLReference(.rsa(bits: 3072, isPSS: false)) },
        measurement(.ps256, perTurn: 20) { try OpenSSLReference(.rsa(bits: 3072, isPSS: true)) },
    ]

    private static func measurement(
        _ algorithm: SignatureAlgorithm,
        perTurn: Int,
        _ reference: @escaping @Sendable () throws -> any SignatureReference
    ) -> Measurement {
        let name = "dpop-verify-\(algorithm.rawValue.lowercased())"
        return Measurement("algorithms", name) {
            // Few keys: an RSA key takes up to a second to make.
            let scenario = try ProofScenario(algorithm: algorithm, keys: 4)
            let rounds = try await scenario.rounds(perTurn: perTurn, beside: reference())
            return [.times(name, rounds, beside: "the bare operation of \(algorithm), key cached", target: nil)]
        }
    }
}
