// SPDX-License-Identifier: Apache-2.0

/// Uses plain Bearer tokens, which anyone who finds them can use: for servers without DPoP.
///
/// The client makes no key and sends no proof and no `dpop_jkt`. Tokens that a server binds unasked are rejected, since
/// the client could not use them. Tokens that the server binds to the certificate of the connection (RFC 8705) look
/// like Bearer tokens, and are accepted.
public struct UnboundedTokenConfiguration: TokenBoundConfiguration, Hashable {
    /// Makes a configuration for unbound tokens.
    public init() {}

    /// `nil`: tokens are not bound.
    public var binding: BoundedTokenConfiguration? { nil }
}
