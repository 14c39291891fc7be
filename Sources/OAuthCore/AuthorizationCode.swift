// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// An authorization code (RFC 6749 section 1.3.1), a secret.
///
/// A client exchanges it once for tokens. Its value is never printed.
public struct AuthorizationCode: Sendable, Hashable, RedactedSecret {
    /// The code exactly as sent, form-decoded.
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
    ///   - left: One code.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte.
    public static func == (left: AuthorizationCode, right: AuthorizationCode) -> Bool {
        left.value.isIdenticalInConstantTime(to: right.value)
    }
}
