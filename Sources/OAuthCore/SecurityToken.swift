// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A token of any kind that is traded for another (RFC 8693), a secret: it does not print.
public struct SecurityToken: Sendable, Hashable, RedactedSecret {
    /// The token exactly as it was received.
    public let value: String
    /// What it is.
    public let type: TokenTypeIdentifier

    /// Takes a token.
    ///
    /// - Parameters:
    ///   - value: The token as text; SAML assertions in base64url.
    ///   - type: What it is.
    public init(_ value: String, type: TokenTypeIdentifier) {
        self.value = value
        self.type = type
    }

    /// Compares in a time that does not tell where two values differ.
    ///
    /// - Parameters:
    ///   - left: One token.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte, and of the same type.
    public static func == (left: SecurityToken, right: SecurityToken) -> Bool {
        left.type == right.type && left.value.isIdenticalInConstantTime(to: right.value)
    }
}
