// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// An authorization code (RFC 6749 section 1.3.1), a secret.
///
/// What a client trades once for tokens. It does not print.
public struct AuthorizationCode: Sendable, Hashable, RedactedSecret {
    /// The code exactly as sent, form-decoded.
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
    ///   - left: One code.
    ///   - right: The other one.
    /// - Returns: Whether both are the same, byte by byte.
    public static func == (left: AuthorizationCode, right: AuthorizationCode) -> Bool {
        left.value.isIdenticalInConstantTime(to: right.value)
    }
}
