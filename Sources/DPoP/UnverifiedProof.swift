// SPDX-License-Identifier: Apache-2.0

import JOSE

/// A proof that passed every check before the signature, which is verified next: by itself, or with others.
struct UnverifiedProof: Sendable {
    let jws: CompactJWS
    let header: VerifiedHeader
    /// Whether the header was read before.
    let isHeaderKnown: Bool
    let claims: ProofClaims
    let nonceAge: Duration?

    /// What verifies it beside others: the proof and the key in its header.
    var token: SignedToken { SignedToken(jws, key: header.key) }
    /// Verifies it by itself.
    func isSigned() -> Bool { jws.isSigned(by: header.key) }
}
