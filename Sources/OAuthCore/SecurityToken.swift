// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A token of any kind that takes part in a token exchange (RFC 8693), a secret: its value is never printed.
public struct SecurityToken: Sendable, Hashable, RedactedSecret {
    /// The token exactly as it was received.
    public let value: String
    /// The kind of the token.
    public let type: TokenTypeIdentifier

    /// Wraps a token.
    ///
    /// - Parameters:
    ///   - value: The token as text; SAML assertions in base64url.
    ///   - type: The kind of the token.
    public init(_ value: String, type: TokenTypeIdentifier) {
        self.value = value
        self.type = type
    }

    /// Compares in constant time.
    ///
    /// - Parameters:
    ///   - left: One token.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte, and of the same type.
    public static func == (left: SecurityToken, right: SecurityToken) -> Bool {
        left.type == right.type && left.value.isIdenticalInConstantTime(to: right.value)
    }
}
