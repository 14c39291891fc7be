// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// An opaque access token as it is stored, all of it immutable.
public struct StoredAccessToken: Sendable, Hashable {
    /// The hash of the token.
    public var tokenHash: SecretHash
    /// The grant it belongs to.
    public var grantID: String
    /// What a JWT in its place would say (RFC 9068 section 2.2), and introspection does.
    public var claims: JSONObject
    /// When it can no longer be used.
    public var expiresAt: Timestamp

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - grantID: The grant it belongs to.
    ///   - claims: What a JWT in its place would say.
    ///   - expiresAt: When it can no longer be used.
    public init(tokenHash: SecretHash, grantID: String, claims: JSONObject, expiresAt: Timestamp) {
        self.tokenHash = tokenHash
        self.grantID = grantID
        self.claims = claims
        self.expiresAt = expiresAt
    }
}
