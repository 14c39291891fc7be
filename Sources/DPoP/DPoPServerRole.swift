// SPDX-License-Identifier: Apache-2.0

/// The kind of server that issued a nonce.
///
/// One host may be both; their nonces differ (RFC 9449 sections 8 and 9).
public struct DPoPServerRole: Sendable, Hashable, CustomStringConvertible {
    /// The stable name.
    public let description: String

    private init(_ name: String) {
        description = name
    }

    /// The server that issues tokens.
    public static let authorizationServer = Self("authorization-server")
    /// The server that accepts tokens.
    public static let resourceServer = Self("resource-server")
}
