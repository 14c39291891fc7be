// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import OAuthSystem

/// A refresh token of a grant, as stored with it.
///
/// A grant has one current refresh token. Rotating it changes the row of the grant in place.
public struct StoredRefreshToken: Sendable, Hashable {
    /// The hash of the token.
    public var tokenHash: SecretHash
    /// The hash of the part that all refresh tokens of the grant share; see ``GrantSecret/familyHash``.
    public var familyHash: SecretHash
    /// The grant to which it belongs.
    public var grantID: String
    /// The client that may use it.
    public var clientID: String
    /// The scope that a refresh can grant again; never more than the grant's.
    public var scope: Scope
    /// The key to which it is bound (RFC 9449 section 5); `nil` if it is not bound.
    public var dpopThumbprint: JWKThumbprint?
    /// When it expires.
    public var expiresAt: Timestamp

    /// Makes a refresh token.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - familyHash: The hash of the part that all refresh tokens of the grant share.
    ///   - grantID: The grant to which it belongs.
    ///   - clientID: The client that may use it.
    ///   - scope: The scope that a refresh can grant again.
    ///   - dpopThumbprint: The key to which it is bound.
    ///   - expiresAt: When it expires.
    public init(
        tokenHash: SecretHash,
        familyHash: SecretHash,
        grantID: String,
        clientID: String,
        scope: Scope,
        dpopThumbprint: JWKThumbprint?,
        expiresAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.familyHash = familyHash
        self.grantID = grantID
        self.clientID = clientID
        self.scope = scope
        self.dpopThumbprint = dpopThumbprint
        self.expiresAt = expiresAt
    }
}
