// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A refresh token (RFC 6749 section 1.5), a secret.
///
/// A client exchanges it for new access tokens. Its value is never printed.
public struct RefreshToken: Sendable, Hashable, RedactedSecret {
    /// The token exactly as sent.
    public let value: String

    /// Wraps a value that was received or made.
    ///
    /// - Parameter value: The secret, ASCII.
    public init(_ value: String) {
        self.value = value
    }

    /// Compares in constant time.
    ///
    /// - Parameters:
    ///   - left: One token.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte.
    public static func == (left: RefreshToken, right: RefreshToken) -> Bool {
        left.value.isIdenticalInConstantTime(to: right.value)
    }
}
