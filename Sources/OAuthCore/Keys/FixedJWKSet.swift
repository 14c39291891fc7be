// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// A fixed set of keys.
public struct FixedJWKSet: JWKSetSource {
    private let keys: JWKSet

    /// Makes a source.
    ///
    /// - Parameter keys: The keys of the issuer.
    public init(_ keys: JWKSet) {
        self.keys = keys
    }

    /// The keys; does not suspend.
    ///
    /// - Parameter keyID: Ignored.
    /// - Returns: The keys.
    /// - Throws: Nothing; the protocol allows it.
    public func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        keys
    }
}
