// SPDX-License-Identifier: Apache-2.0

/// Whether and how tokens are bound to a key of the client: ``BoundedTokenConfiguration`` or
/// ``UnboundedTokenConfiguration``.
///
/// The configuration of a client must match its stored session: tokens stay bound to the key that they were issued to.
/// A client that is configured for another type of key, or for none, needs a new sign-in (RFC 9449 section 5).
public protocol TokenBoundConfiguration: Sendable {
    /// How tokens are bound; `nil` if they are not.
    var binding: BoundedTokenConfiguration? { get }
}
