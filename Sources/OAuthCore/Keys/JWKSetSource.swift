// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Where the public keys of an issuer come from.
public protocol JWKSetSource: Sendable {
    /// The keys of the issuer.
    ///
    /// - Parameter keyID: `kid` of the token to be checked: a source may look again when it does not know it.
    /// - Returns: The keys; they need not contain the one that was asked for.
    /// - Throws: ``OAuthCoreError`` – ``OAuthCoreError/Code/keysUnavailable``.
    func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet
}
