// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// RFC 7519 sections 4.1.4 and 4.1.5: if a proof has `exp` or `nbf`, they are enforced.
enum CheckValidityPeriod {
    static func run(_ claims: ProofClaims, policy: ProofPolicy, now: Timestamp) throws(DPoPError) {
        if let expiresAt = claims.expiresAt, now >= expiresAt + policy.futureSkew {
            throw DPoPError(.invalidProof, "the proof is past its 'exp'", step: .validityPeriod)
        }
        if let notBefore = claims.notBefore, now + policy.futureSkew < notBefore {
            throw DPoPError(.invalidProof, "the proof is before its 'nbf'", step: .validityPeriod)
        }
    }
}
