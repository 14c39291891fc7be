// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// An access token (RFC 6749 section 1.4), a secret.
///
/// What a client sends to an API. It does not print.
public struct AccessToken: Sendable, Hashable, RedactedSecret {
    /// The token exactly as sent.
    public let value: String

    /// Takes a value that was received or made.
    ///
    /// - Parameter value: The secret, ASCII.
    public init(_ value: String) {
        self.value = value
    }

    /// Compares in a time that does not tell where two values differ.
    ///
    /// - Parameters:
    ///   - left: One token.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte.
    public static func == (left: AccessToken, right: AccessToken) -> Bool {
        left.value.isIdenticalInConstantTime(to: right.value)
    }
}
