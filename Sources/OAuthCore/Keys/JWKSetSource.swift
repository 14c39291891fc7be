// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// A source of the public keys of an issuer.
public protocol JWKSetSource: Sendable {
    /// The keys of the issuer.
    ///
    /// - Parameter keyID: `kid` of the token to verify. A source that does not know it may fetch the keys again.
    /// - Returns: The keys; they may not contain the requested one.
    /// - Throws: ``OAuthCoreError`` – ``OAuthCoreError/Code/keysUnavailable``.
    func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet
}
