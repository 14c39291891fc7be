// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// The secret of a client (RFC 6749 section 2.3.1).
///
/// Its value is never printed. Software on users' devices cannot keep one: apps are public clients.
public struct ClientSecret: Sendable, Hashable, RedactedSecret {
    /// The secret exactly as the server issued it.
    public let value: String

    /// Wraps a value that was received or made.
    ///
    /// - Parameter value: The secret.
    public init(_ value: String) {
        self.value = value
    }

    /// Compares in constant time.
    ///
    /// - Parameters:
    ///   - left: One secret.
    ///   - right: The other one.
    /// - Returns: Whether both are equal, byte by byte.
    public static func == (left: ClientSecret, right: ClientSecret) -> Bool {
        left.value.isIdenticalInConstantTime(to: right.value)
    }
}
