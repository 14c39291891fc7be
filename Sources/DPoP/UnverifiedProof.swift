// SPDX-License-Identifier: Apache-2.0

import JOSE

/// A proof that passed every check before the signature, which is verified next: by itself, or with others.
struct UnverifiedProof: Sendable {
    let token: CheckWellFormed.Token
    let key: JWK
    let thumbprint: JWKThumbprint
    let claims: ProofClaims
    let nonceAge: Duration?

    /// What a ``SignatureBatcher`` verifies.
    var signedToken: SignedToken { SignedToken(token.jws, key: key) }
}
