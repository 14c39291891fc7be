// SPDX-License-Identifier: Apache-2.0

/// Whether tokens are bound to a key of the client, and how: ``BoundedTokenConfiguration`` or ``UnboundedTokenConfiguration``.
///
/// What a client is set to and what a stored session has must agree: tokens keep the key that they were issued to, so a
/// client that was set to another kind of key, or to none, needs a new sign-in (RFC 9449 section 5).
public protocol TokenBoundConfiguration: Sendable {
    /// How tokens are bound; `nil` when they are not.
    var binding: BoundedTokenConfiguration? { get }
}
