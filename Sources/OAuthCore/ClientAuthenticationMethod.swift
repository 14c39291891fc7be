// SPDX-License-Identifier: Apache-2.0

/// How a client authenticates, by its registered name (RFC 8414 section 2, `token_endpoint_auth_methods_supported`).
///
/// There is a constant for each method that this library supports; a server may list others.
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

    /// No authentication: a public client sends only its `client_id`.
    public static let none = Self(rawValue: "none")
    /// A secret in the `Authorization` field (RFC 6749 section 2.3.1).
    public static let clientSecretBasic = Self(rawValue: "client_secret_basic")
    /// A secret in the form body (RFC 6749 section 2.3.1).
    public static let clientSecretPost = Self(rawValue: "client_secret_post")
    /// An assertion with a MAC keyed by the client secret (OpenID Connect Core section 9).
    public static let clientSecretJWT = Self(rawValue: "client_secret_jwt")
    /// An assertion signed with a private key (OpenID Connect Core section 9).
    public static let privateKeyJWT = Self(rawValue: "private_key_jwt")
    /// A certificate that an authority issued (RFC 8705 section 2.1).
    public static let tlsClientAuth = Self(rawValue: "tls_client_auth")
    /// A self-signed certificate that is registered (RFC 8705 section 2.2).
    public static let selfSignedTLSClientAuth = Self(rawValue: "self_signed_tls_client_auth")
    /// An attestation of the client's key, with the DPoP proof as proof of possession
    /// (draft-ietf-oauth-attestation-based-client-auth-11 section 7.3).
    public static let attestationWithDPoP = Self(rawValue: "attest_jwt_client_auth_dpop")
}
