// SPDX-License-Identifier: Apache-2.0

public import JOSE

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
}
