// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCrypto
import OAuthSystem
import StrictJSON

/// Proofs for one kind of request, and their verification.
///
/// Each proof is different, and the keys rotate. After a round, the verifier's caches contain 64 keys, like those of an
/// API with as many clients. With some thousand keys, none is cached when its turn comes again.
struct ProofScenario {
    /// The claims of a proof in addition to `jti`, `htm`, `htu` and `iat`.
    enum Content {
        /// The hash of an access token and a nonce, which the verifier requires.
        case full
        /// Neither, but another claim that fills the proof up to this many characters.
        case filled(to: Int)
    }

    static let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    static let uri = "https://api.example.com/notes"

    let keys: [SoftwareSigningKey]
    let now: Timestamp
    let nonces: DPoPNonceIssuer
    private let thumbprints: [JWKThumbprint]
    private let accessTokenHash = Base64URL.encode(SHA256.hash(Array(Self.accessToken.utf8)).bytes)
    private let content: Content
    private let htu: String
    let verifier: DPoPProofVerifier

    init(
        algorithm: SignatureAlgorithm = .es256,
        keys count: Int = 64,
        content: Content = .full,
        htu: String = Self.uri,
        now: Timestamp = Timestamp(secondsSince1970: 1_790_000_000),
        nonceSecrets entropy: any Entropy = SystemEntropy()
    ) throws {
        keys = try (0..<count).map { _ in try SoftwareSigningKey(generating: algorithm) }
        thumbprints = keys.map(\.publicKey.thumbprint)
        nonces = DPoPNonceIssuer(role: .resourceServer, secrets: [DPoPNonceSecret(entropy: entropy)])
        (self.content, self.htu, self.now) = (content, htu, now)
        var policy = ProofPolicy(algorithms: [algorithm])
        if case .filled = content { policy.nonces = .off }
        verifier = DPoPProofVerifier(policy: policy, nonces: nonces)
    }

    func thumbprint(of number: Int) -> JWKThumbprint { thumbprints[number % keys.count] }

    /// Measures all checks compared with the bare operation.
    ///
    /// The URI of the request is parsed and normalized; `ath`, nonce, thumbprint and signature are checked, and the
    /// proof is recorded.
    @MainActor
    func rounds(perTurn: Int, beside reference: any SignatureReference) async throws -> Rounds {
        let proofs = try await makeProofs(Rounds.operations(perTurn: perTurn))
        let store = MemoryReplayStore()
        return try await Rounds.compare(
            perTurn: perTurn,
            ours: { range in for number in range { try verify(proofs[number], of: number, in: store) } },
            reference: { range in for _ in range { reference.verify() } }
        )
    }

    func verify(_ proof: String, of number: Int, in store: MemoryReplayStore) throws {
        try verify(proof, boundTo: thumbprint(of: number), in: store)
    }

    func verify(_ proof: String, boundTo thumbprint: JWKThumbprint, in store: MemoryReplayStore) throws {
        var expectation = ExpectedRequest(
            method: "GET",
            targetURI: try TargetURI(parsing: "https://api.example.com/notes?page=2"),
            thumbprint: thumbprint
        )
        if case .full = content { expectation.accessToken = Self.accessToken }
        let checked = try verifier.check([proof], against: expectation, at: now)
        try verifier.record(checked, in: store, at: now)
    }

    func makeProofs(_ count: Int) async throws -> [String] {
        var proofs: [String] = []
        proofs.reserveCapacity(count)
        for number in 0..<count {
            proofs.append(try await makeProof(number))
        }
        return proofs
    }

    /// Makes a proof; `change` may make it invalid before it is signed.
    func makeProof(
        _ number: Int,
        change: (_ header: inout JSONObject, _ claims: inout JSONObject) -> Void = { _, _ in }
    ) async throws -> String {
        let key = keys[number % keys.count]
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(SystemEntropy().bytes(16))), "htm": "GET", "htu": .string(htu),
            "iat": .number(JSONNumber(now.secondsSince1970)),
        ]
        var header: JSONObject = ["typ": "dpop+jwt", "jwk": .object(key.publicKey.json)]
        switch content {
        case .full:
            claims["ath"] = .string(accessTokenHash)
            claims["nonce"] = .string(nonces.nonce(at: now))
        case .filled(let size):
            claims["fill"] = ""
            let bare = try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
            // Three bytes are four characters.
            claims["fill"] = .string(String(repeating: "a", count: max(0, (size - bare.utf8.count) * 3 / 4)))
        }
        change(&header, &claims)
        return try await CompactJWS.sign(header: header, payload: JSONValue.object(claims).encoded(), with: key)
    }
}
