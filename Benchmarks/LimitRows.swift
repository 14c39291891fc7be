// SPDX-License-Identifier: Apache-2.0

/// The references of this program compared with `openssl speed` in the same run: they must agree, or one is wrong.
enum LimitRows {
    static func measurements(_ speed: OpenSSLSpeed) -> [Measurement] {
        [
            measurement("ecdsap256", speed, verify: 100, sign: 200) { try OpenSSLReference() },
            measurement("ecdsap384", speed, verify: 10, sign: 10) {
                try OpenSSLReference(.ec(group: "secp384r1", digestSize: 48))
            },
            measurement("ed25519", speed, verify: 50, sign: 100) { try Ed25519Reference() },
            measurement("rsa2048", speed, verify: 200, sign: 10) {
                try OpenSSLReference(.rsa(bits: 2048, isPSS: false))
            },
        ].flatMap { $0 }
    }

    private static func measurement(
        _ algorithm: String,
        _ speed: OpenSSLSpeed,
        verify: Int,
        sign: Int,
        _ make: @escaping @Sendable () throws -> any SignatureReference
    ) -> [Measurement] {
        func one(
            _ operation: String,
            _ perTurn: Int,
            _ call: @escaping @Sendable (any SignatureReference) -> () -> Void
        ) -> Measurement? {
            let name = "\(algorithm)-\(operation)"
            guard let perSecond = speed.perSecond[name] else { return nil }
            return Measurement("limits", "limit-\(name)") {
                let call = call(try make())
                let rounds = try await Rounds.compare(
                    perTurn: perTurn,
                    ours: { range in for _ in range { call() } },
                    reference: { _ in }
                )
                let beside = rounds.beside(1 / perSecond)
                return [
                    .times(
                        "limit-\(name)",
                        beside,
                        beside: "openssl speed \(algorithm), before these rows",
                        target: nil
                    )
                ]
            }
        }
        return [one("verify", verify) { $0.verify }, one("sign", sign) { $0.sign }].compactMap { $0 }
    }
}
