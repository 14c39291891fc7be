// SPDX-License-Identifier: Apache-2.0

/// What became of the attempt to give out an authorization code.
public enum CodeIssuance: Sendable, Hashable {
    /// Grant and code are stored, the request is spent.
    case issued
    /// The request is unknown, expired or already spent (RFC 9126 section 7.3).
    case requestSpent
    /// The client has used this code challenge before (RFC 9700 section 2.1.1).
    case challengeReused
    /// The consent that it was to rest on is not stored, or was withdrawn; the request still waits.
    case consentWithdrawn
    /// The session that it was to rest on has ended, or is that of somebody else, or of nobody who has an account.
    case sessionEnded
}
