// SPDX-License-Identifier: Apache-2.0

import JOSE

/// A proof that passed every check before the signature; its signature is verified next, alone or in a batch.
struct UnverifiedProof: Sendable {
    let jws: CompactJWS
    let header: VerifiedHeader
    /// Whether the header came from the cache.
    let isHeaderKnown: Bool
    let claims: ProofClaims
    let nonceAge: Duration?
    /// The replay memory that the nonce was made for.
    let replayEpoch: ReplayEpoch?

    /// The proof and the key in its header, for a batch verifier.
    var token: SignedToken { SignedToken(jws, key: header.key) }
    /// Verifies the signature alone.
    func isSigned() -> Bool { jws.isSigned(by: header.key) }
}
