// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import DPoP
import JOSE
import TestSupport

/// The whole verifier, for the request that the known proofs are of.
struct ProofVerification {
    private let verifier: DPoPProofVerifier

    init(nonces: DPoPNoncePolicy) {
        let secret = DPoPNonceSecret(number: 1, bytes: [UInt8](repeating: 7, count: 32))
        verifier = DPoPProofVerifier(
            policy: ProofPolicy(nonces: nonces),
            nonces: DPoPNonceIssuer(role: .resourceServer, secrets: [secret])
        )
    }

    func check(_ proof: String) throws -> VerifiedProof {
        try verifier.check([proof], against: KnownTokens.expectation(), at: KnownTokens.now)
    }

    /// Whether a proof is accepted when it is verified together with good ones of each algorithm.
    func isAcceptedTogether(_ proof: String) throws -> Bool {
        let (es256, ed25519) = (KnownTokens.proofs[0], KnownTokens.proofs[1])
        let results = verifier.check(
            batch: try [es256, ed25519, proof, es256, ed25519].map {
                PresentedProof([$0], for: try KnownTokens.expectation())
            },
            at: KnownTokens.now,
            with: Self.batcher
        )
        let isAccepted = results.map { (try? $0.get()) != nil }
        Finding.unless(isAccepted.filter(\.self).count - (isAccepted[2] ? 1 : 0) == 4, "a good neighbour is refused")
        return isAccepted[2]
    }

    /// With the library that verifies eight at a time where `scripts/bootstrap accelerate` put it, else without.
    private static let batcher = SignatureBatcher((try? TestLanes.backend()) ?? nil)

    func record(_ proof: VerifiedProof, in store: MemoryReplayStore) throws {
        try verifier.record(proof, in: store, at: KnownTokens.now)
    }
}
