// SPDX-License-Identifier: Apache-2.0

import JOSE

/// A proof that passed every check before the signature, which is verified next: by itself, or with others.
struct UnverifiedProof: Sendable {
    /// The proof and the key in its header.
    let token: SignedToken
    let header: CheckedHeader
    /// Whether the header was read before.
    let isHeaderKnown: Bool
    let claims: ProofClaims
    let nonceAge: Duration?
}
