// SPDX-License-Identifier: Apache-2.0

/// Tokens are plain Bearer tokens, which anyone who finds them can use: for servers without DPoP.
///
/// No key is made, no proof and no `dpop_jkt` are sent. What a server binds unasked is refused, since the client could not use
/// it. Tokens that the server binds to the certificate of the connection (RFC 8705) look like Bearer tokens, and are accepted.
public struct UnboundedTokenConfiguration: TokenBoundConfiguration, Hashable {
    /// Says that tokens are not bound.
    public init() {}

    /// Nothing.
    public var binding: BoundedTokenConfiguration? { nil }
}
