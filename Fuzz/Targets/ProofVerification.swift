// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE

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

    func check(_ proof: String) throws -> CheckedProof {
        try verifier.check([proof], against: KnownTokens.expectation(), at: KnownTokens.now)
    }

    func record(_ proof: CheckedProof, in store: MemoryReplayStore) throws {
        try verifier.record(proof, in: store, at: KnownTokens.now)
    }
}
