// SPDX-License-Identifier: Apache-2.0

/// A grant type, by its registered name (RFC 7591 section 2, `grant_types`).
public struct GrantType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The registered name, case-sensitive.
    public let rawValue: String

    /// Names a grant type.
    ///
    /// - Parameter rawValue: The registered name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The registered name.
    public var description: String { rawValue }

    /// An authorization code, issued after a user's consent (RFC 6749 section 4.1).
    public static let authorizationCode = Self(rawValue: "authorization_code")
    /// A refresh token (RFC 6749 section 6).
    public static let refreshToken = Self(rawValue: "refresh_token")
    /// The client's own credentials: tokens for itself (RFC 6749 section 4.4).
    public static let clientCredentials = Self(rawValue: "client_credentials")
    /// A device code (RFC 8628 section 3.4).
    public static let deviceCode = Self(rawValue: "urn:ietf:params:oauth:grant-type:device_code")
    /// A token that is exchanged for another (RFC 8693 section 2.1).
    public static let tokenExchange = Self(rawValue: "urn:ietf:params:oauth:grant-type:token-exchange")

    /// The grant types that require a client with a secret or a key.
    package static let confidential: Set<GrantType> = [.clientCredentials, .tokenExchange]
}
