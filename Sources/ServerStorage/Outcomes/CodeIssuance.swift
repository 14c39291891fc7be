// SPDX-License-Identifier: Apache-2.0

/// The outcome of an attempt to issue an authorization code.
public enum CodeIssuance: Sendable, Hashable {
    /// Grant and code are stored, the request is used.
    case issued
    /// The request is unknown, expired or already used (RFC 9126 section 7.3).
    case requestUsed
    /// The client has used this code challenge before (RFC 9700 section 2.1.1).
    case challengeReused
    /// The required consent is not stored, or was withdrawn; the request is still pending.
    case consentWithdrawn
    /// The required session has ended, or its user is another one or has no account; the request is still pending.
    case sessionEnded
}
