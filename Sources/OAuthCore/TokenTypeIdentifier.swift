// SPDX-License-Identifier: Apache-2.0

/// The kind of a token in a token exchange, as a URI (RFC 8693 section 3).
public struct TokenTypeIdentifier: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The URI.
    public let rawValue: String

    /// Names a token type.
    ///
    /// - Parameter rawValue: The URI.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The URI.
    public var description: String { rawValue }

    /// An access token of the authorization server that receives the request.
    public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// A refresh token of the authorization server that receives the request.
    public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An ID token (OpenID Connect Core section 2).
    public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// A JWT of any kind.
    public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
    /// A SAML 1.1 assertion in base64url.
    public static let saml1 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml1")
    /// A SAML 2.0 assertion in base64url.
    public static let saml2 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml2")
}
