// SPDX-License-Identifier: Apache-2.0

/// The outcome of an attempt to exchange an authorization code.
public enum CodeRedemption: Sendable, Hashable {
    /// This caller wins: the code is now used, and the tokens to be issued are stored.
    case first
    /// The code was used before; its grant is now revoked (RFC 6749 section 4.1.2, RFC 9700 section 4.5).
    case replayed
    /// The code is unknown or expired, or its grant was already revoked.
    case unknown
}
