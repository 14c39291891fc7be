// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCrypto

/// Proofs made and verified, beside the raw signature operation of OpenSSL.
struct ProofRows {
    private static let now = Timestamp(secondsSince1970: 1_790_000_000)
    private static let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"

    private struct FixedClock: WallClock {
        func now() -> Timestamp { ProofRows.now }
    }

    private let keys: [SoftwareSigningKey]
    private let thumbprints: [JWKThumbprint]
    private let accessTokenHash = Base64URL.encode(SHA256.hash(Array(Self.accessToken.utf8)).bytes)
    private let nonces: DPoPNonceIssuer
    private let verifier: DPoPProofVerifier
    private let reference: OpenSSLReference

    init() throws {
        keys = try (0..<64).map { _ in try SoftwareSigningKey() }
        thumbprints = keys.map(\.publicKey.thumbprint)
        nonces = DPoPNonceIssuer(
            role: .resourceServer,
            secrets: [DPoPNonceSecret(entropy: SystemEntropy())]
        )
        verifier = DPoPProofVerifier(nonces: nonces)
        reference = try OpenSSLReference()
    }

    @MainActor
    func run() async throws -> [Row] {
        [
            try await verification("dpop-verify-es256", uri: "https://api.example.com/notes", target: .ratio(0.90)),
            try await verification(
                "dpop-verify-es256-other-spelling",
                uri: "HTTPS://API.Example.com:443/a/../%6Eotes",
                target: nil
            ),
            try await scaling(), try await creation(),
        ]
    }

    /// Measures every check.
    ///
    /// The URI of the request is parsed and normalised; `ath`, nonce, thumbprint and signature are checked, and the proof
    /// is recorded. Each proof is another one, of one of 64 keys.
    @MainActor
    private func verification(_ name: String, uri: String, target: Row.Target?) async throws -> Row {
        let proofs = try await makeProofs(Rounds.operations(perTurn: 100), uri: uri)
        let store = MemoryReplayStore()
        let rounds = try await Rounds.compare(
            perTurn: 100,
            ours: { range in for number in range { try verify(proofs[number], of: number, in: store) } },
            reference: { range in for _ in range { reference.verify() } }
        )
        return .times(name, rounds, beside: "EVP_PKEY_verify, key cached", target: target)
    }

    private func scaling() async throws -> Row {
        let perRound = 1000
        let proofs = try await makeProofs((Rounds.count + 1) * 3 * perRound, uri: "https://api.example.com/notes")
        let store = MemoryReplayStore()
        let references = [try OpenSSLReference(), try OpenSSLReference()]
        let rounds = Rounds.compareScaling(
            perRound: perRound,
            ours: { [self] _, range in
                for number in range { precondition((try? verify(proofs[number], of: number, in: store)) != nil) }
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
    private func creation() async throws -> Row {
        let factory = DPoPProofFactory(key: keys[0])
        let uri = try TargetURI(parsing: "https://api.example.com/notes")
        let nonce = nonces.nonce(at: Self.now)
        let rounds = try await Rounds.compare(
            perTurn: 200,
            ours: { range in
                for _ in range {
                    _ = try await factory.proof(
                        method: "GET",
                        targetURI: uri,
                        accessToken: Self.accessToken,
                        nonce: nonce
                    )
                }
            },
            reference: { range in for _ in range { reference.sign() } }
        )
        return .times("dpop-create-es256", rounds, beside: "EVP_PKEY_sign, key cached", target: .ratio(0.87))
    }

    private func verify(_ proof: String, of number: Int, in store: MemoryReplayStore) throws {
        let expectation = ProofExpectation(
            method: "GET",
            targetURI: try TargetURI(parsing: "https://api.example.com/notes?page=2"),
            accessToken: Self.accessToken,
            thumbprint: thumbprints[number & 63]
        )
        let checked = try verifier.check([proof], against: expectation, at: Self.now)
        try verifier.record(checked, in: store, at: Self.now)
    }

    private func makeProofs(_ count: Int, uri: String) async throws -> [String] {
        var proofs: [String] = []
        proofs.reserveCapacity(count)
        let nonce = nonces.nonce(at: Self.now)
        for number in 0..<count {
            proofs.append(try await makeProof(number, uri: uri, nonce: nonce))
        }
        return proofs
    }

    private func makeProof(_ number: Int, uri: String, nonce: String) async throws -> String {
        let key = keys[number & 63]
        let claims: JSONObject = [
            "jti": .string(Base64URL.encode(SystemEntropy().bytes(16))), "htm": "GET", "htu": .string(uri),
            "iat": .number(JSONNumber(Self.now.secondsSince1970)), "ath": .string(accessTokenHash),
            "nonce": .string(nonce),
        ]
        return try await CompactJWS.sign(
            header: ["typ": "dpop+jwt", "jwk": .object(key.publicKey.json)],
            payload: JSONValue.object(claims).encoded(),
            with: key
        )
    }
}
