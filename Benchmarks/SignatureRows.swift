// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// Signatures compared with the raw operation of OpenSSL.
struct SignatureRows {
    /// A signed message and the encoded key.
    ///
    /// Each has a different signer. With 64 signers the keys are cached, like those of an API; with some thousand, none
    /// is, so each is imported.
    private struct Sample {
        let key: JSONObject
        let message: [UInt8]
        let signature: [UInt8]
    }

    private let samples: [Sample]
    private let key: SoftwareSigningKey
    private let reference: OpenSSLReference

    init(signers count: Int = 64) async throws {
        var samples: [Sample] = []
        for number in 0..<count {
            let key = try SoftwareSigningKey()
            let message = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 330)
            let json = try JSONValue(parsing: JSONValue.object(key.publicKey.json).encoded()).objectValue
            guard let json else { throw BenchmarkError("a key is an object") }
            samples.append(Sample(key: json, message: message, signature: try await key.sign(message)))
        }
        self.samples = samples
        key = try SoftwareSigningKey()
        reference = try OpenSSLReference()
    }

    static let measurements = [
        Measurement("signatures", "jwk-import-verify-es256") {
            [try await SignatureRows().verification("jwk-import-verify-es256", target: .ratio(0.95))]
        },
        Measurement("signatures", "jwk-import-verify-es256-new-keys") {
            [try await SignatureRows(signers: 4096).verification("jwk-import-verify-es256-new-keys", target: nil)]
        },
        Measurement("signatures", "jwk-import-verify-es256-2-threads") { [try await SignatureRows().scaling()] },
        Measurement("signatures", "jws-sign-es256") { [try await SignatureRows().signing()] },
    ]

    @MainActor
    private func verification(_ name: String, target: Row.Target?) async throws -> Row {
        let rounds = try await Rounds.compare(
            perTurn: 100,
            ours: { range in for number in range { check(samples[number % samples.count]) } },
            reference: { range in for _ in range { reference.verify() } }
        )
        return .times(name, rounds, beside: "EVP_PKEY_verify, key cached", target: target)
    }

    @MainActor
    private func signing() async throws -> Row {
        let rounds = try await Rounds.compare(
            perTurn: 200,
            ours: { range in for number in range { _ = try await key.sign(samples[number % samples.count].message) } },
            reference: { range in for _ in range { reference.sign() } }
        )
        return .times("jws-sign-es256", rounds, beside: "EVP_PKEY_sign, key cached", target: .ratio(0.95))
    }

    private func scaling() throws -> Row {
        let references = [try OpenSSLReference(), try OpenSSLReference()]
        let rounds = Rounds.compareScaling(
            perRound: 1000,
            ours: { [self] _, range in for number in range { check(samples[number % samples.count]) } },
            reference: { thread, range in for _ in range { references[thread].verify() } }
        )
        return .multiples(
            "jwk-import-verify-es256-2-threads",
            rounds,
            beside: "EVP_PKEY_verify, a context per thread",
            target: .atLeast(1.95)
        )
    }

    private func check(_ sample: Sample) {
        let key = try? JWK(parsingUnchecked: sample.key)
        precondition(key?.isValidSignature(sample.signature, for: sample.message, algorithm: .es256) == true)
    }
}
