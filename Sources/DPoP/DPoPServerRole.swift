// SPDX-License-Identifier: Apache-2.0

/// Which kind of server a nonce belongs to: one host may be both, and their nonces differ (RFC 9449 sections 8 and 9).
public struct DPoPServerRole: Sendable, Hashable, CustomStringConvertible {
    /// The stable name.
    public let description: String

    private init(_ name: String) {
        description = name
    }

    /// The server that gives out tokens.
    public static let authorizationServer = Self("authorization-server")
    /// The server that tokens are used at.
    public static let resourceServer = Self("resource-server")
}
