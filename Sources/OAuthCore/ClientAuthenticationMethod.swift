// SPDX-License-Identifier: Apache-2.0

/// How a client shows who it is, by its registered name (RFC 8414 section 2, `token_endpoint_auth_methods_supported`).
///
/// There is a constant for each method that this library speaks; a server may name others.
public struct ClientAuthenticationMethod: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The registered name, case-sensitive.
    public let rawValue: String

    /// Names a method.
    ///
    /// - Parameter rawValue: The registered name, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The registered name.
    public var description: String { rawValue }

    /// Not at all: a public client names itself only.
    public static let none = Self(rawValue: "none")
    /// A secret in an HTTP field (RFC 6749 section 2.3.1).
    public static let clientSecretBasic = Self(rawValue: "client_secret_basic")
    /// A secret in the form (RFC 6749 section 2.3.1).
    public static let clientSecretPost = Self(rawValue: "client_secret_post")
    /// An assertion with a code made of a secret (OpenID Connect Core section 9).
    public static let clientSecretJWT = Self(rawValue: "client_secret_jwt")
    /// An assertion signed with a private key (OpenID Connect Core section 9).
    public static let privateKeyJWT = Self(rawValue: "private_key_jwt")
    /// A certificate that an authority issued (RFC 8705 section 2.1).
    public static let tlsClientAuth = Self(rawValue: "tls_client_auth")
    /// A certificate that is registered itself (RFC 8705 section 2.2).
    public static let selfSignedTLSClientAuth = Self(rawValue: "self_signed_tls_client_auth")
}
