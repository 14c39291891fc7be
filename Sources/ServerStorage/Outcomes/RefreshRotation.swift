// SPDX-License-Identifier: Apache-2.0

/// The outcome of an attempt to rotate a refresh token.
public enum RefreshRotation: Sendable, Hashable {
    /// The token is now used and the successor is stored.
    case rotated
    /// The token was used a moment ago, and its successor was not used yet: the new successor replaces that one.
    case reissued
    /// The token was used or replaced before; its grant is now revoked (RFC 9700 section 4.14.2).
    case reused
    /// The token is unknown or expired, or its grant was already revoked.
    case unknown
}
