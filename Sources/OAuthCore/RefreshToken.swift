// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A refresh token (RFC 6749 section 1.5), a secret.
///
/// What a client trades for new access tokens. It does not print.
public struct RefreshToken: Sendable, Hashable, RedactedSecret {
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
    public static func == (left: RefreshToken, right: RefreshToken) -> Bool {
        left.value.isIdenticalInConstantTime(to: right.value)
    }
}
