// SPDX-License-Identifier: Apache-2.0

import JOSE

/// A proof that passed every check before the signature, which is verified next: by itself, or with others.
struct UnverifiedProof: Sendable {
    /// The proof and the key in its header.
    let token: SignedToken
    let thumbprint: JWKThumbprint
    let claims: ProofClaims
    let nonceAge: Duration?
}
