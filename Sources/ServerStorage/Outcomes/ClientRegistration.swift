// SPDX-License-Identifier: Apache-2.0

/// What became of the attempt of a client to register itself (RFC 7591 section 3).
public enum ClientRegistration: Sendable, Hashable {
    /// The client is stored, and its token has one use less.
    case registered
    /// The token is unknown, expired or used up; nothing is stored.
    case refused
    /// The identifier is taken; nothing is stored, and the token has not been used.
    case taken
}
