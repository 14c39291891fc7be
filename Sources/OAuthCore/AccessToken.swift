// SPDX-License-Identifier: Apache-2.0

public import JOSE

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
}
