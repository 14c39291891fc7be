// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// A stored opaque access token; immutable.
public struct StoredAccessToken: Sendable, Hashable {
    /// The hash of the token.
    public var tokenHash: SecretHash
    /// The grant to which it belongs.
    public var grantID: String
    /// The claims that a JWT would have instead (RFC 9068 section 2.2), for introspection.
    public var claims: JSONObject
    /// When it expires.
    public var expiresAt: Timestamp

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - grantID: The grant to which it belongs.
    ///   - claims: The claims that a JWT would have instead.
    ///   - expiresAt: When it expires.
    public init(tokenHash: SecretHash, grantID: String, claims: JSONObject, expiresAt: Timestamp) {
        self.tokenHash = tokenHash
        self.grantID = grantID
        self.claims = claims
        self.expiresAt = expiresAt
    }
}
