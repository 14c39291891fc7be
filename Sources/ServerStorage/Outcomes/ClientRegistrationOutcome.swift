// SPDX-License-Identifier: Apache-2.0

/// The outcome of a client's attempt to register (RFC 7591 section 3).
public enum ClientRegistrationOutcome: Sendable, Hashable {
    /// The client is stored, and its token has one use less.
    case registered
    /// The token is unknown, expired or has no uses left; nothing is stored.
    case refused
    /// The identifier is taken; nothing is stored, and the token has not been used.
    case taken
}
