// SPDX-License-Identifier: Apache-2.0

/// What became of the attempt to exchange a refresh token for its successor.
public enum RefreshRotation: Sendable, Hashable {
    /// The token is spent now and the successor is stored.
    case rotated
    /// The token was spent a moment ago and its successor was never used: that one is replaced by the new successor.
    case reissued
    /// The token was spent before; its grant is revoked now (RFC 9700 section 4.14.2).
    case reused
    /// The token is unknown or expired, was replaced before it was used, or its grant was revoked before.
    case unknown
}
