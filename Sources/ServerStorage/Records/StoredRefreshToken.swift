// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import OAuthSystem

/// A refresh token as it is stored, all of it immutable.
public struct StoredRefreshToken: Sendable, Hashable {
    /// The hash of the token.
    public var tokenHash: SecretHash
    /// The grant it belongs to.
    public var grantID: String
    /// Who may use it.
    public var clientID: String
    /// The scope it can give out again; never more than the grant's.
    public var scope: Scope
    /// The key it is bound to (RFC 9449 section 5); `nil` when it is bound to none.
    public var dpopThumbprint: JWKThumbprint?
    /// When it can no longer be used.
    public var expiresAt: Timestamp

    /// Makes a refresh token.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - grantID: The grant it belongs to.
    ///   - clientID: Who may use it.
    ///   - scope: The scope it can give out again.
    ///   - dpopThumbprint: The key it is bound to.
    ///   - expiresAt: When it can no longer be used.
    public init(
        tokenHash: SecretHash,
        grantID: String,
        clientID: String,
        scope: Scope,
        dpopThumbprint: JWKThumbprint?,
        expiresAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.grantID = grantID
        self.clientID = clientID
        self.scope = scope
        self.dpopThumbprint = dpopThumbprint
        self.expiresAt = expiresAt
    }
}
