// SPDX-License-Identifier: Apache-2.0

/// What became of the attempt to exchange an authorization code.
public enum CodeRedemption: Sendable, Hashable {
    /// The code is spent now, and what was to be issued is stored: the one winner.
    case first
    /// The code was spent before; its grant is revoked now (RFC 6749 section 4.1.2, RFC 9700 section 4.5).
    case replayed
    /// The code is unknown or expired, or its grant was revoked before.
    case unknown
}
