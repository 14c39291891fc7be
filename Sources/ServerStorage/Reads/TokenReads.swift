// SPDX-License-Identifier: Apache-2.0

/// What introspection, revocation and token exchange are checked against, all of one moment (RFC 7662, RFC 7009, RFC
/// 8693).
public struct TokenReads: Sendable, Hashable {
    /// The client; `nil` if it is not registered.
    public var client: RegisteredClient?
    /// The tokens, in the order in which they were asked for.
    public var tokens: [TokenRead]

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - tokens: The tokens, in the order in which they were asked for.
    public init(client: RegisteredClient?, tokens: [TokenRead] = []) {
        self.client = client
        self.tokens = tokens
    }
}
