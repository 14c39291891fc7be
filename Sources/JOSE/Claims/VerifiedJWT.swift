// SPDX-License-Identifier: Apache-2.0

/// A JWT that was valid, and what its validity rests on.
package struct VerifiedJWT: Sendable {
    /// Its claims; whoever changes them keeps what the rules demand, since they are validated again.
    package var claims: JWTClaims
    /// `kid` of its header.
    package let keyID: String?
    /// `alg` of its header.
    let algorithm: SignatureAlgorithm
    /// The key that signed it.
    let signer: JWK
}
