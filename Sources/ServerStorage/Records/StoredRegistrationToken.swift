// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// What is stored of an initial access token: with it, clients register themselves (RFC 7591 section 1.2).
public struct StoredRegistrationToken: Sendable, Hashable {
    /// The hash of the token.
    public var tokenHash: SecretHash
    /// How many clients may still be registered with it; at least one.
    public var usesLeft: Int
    /// When it ends.
    public var expiresAt: Timestamp

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - tokenHash: The hash of the token.
    ///   - usesLeft: How many clients may be registered with it.
    ///   - expiresAt: When it ends.
    public init(tokenHash: SecretHash, usesLeft: Int, expiresAt: Timestamp) {
        self.tokenHash = tokenHash
        self.usesLeft = usesLeft
        self.expiresAt = expiresAt
    }
}
