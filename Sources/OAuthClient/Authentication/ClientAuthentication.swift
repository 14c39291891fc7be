// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore

/// How a client authenticates to the authorization server, in every request to an endpoint that requires it.
///
/// An app on users' devices cannot keep a secret and is a public client: ``none``. PKCE and DPoP protect it (RFC 8252
/// section 8.4). Only the name of the method is printed.
public struct ClientAuthentication: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    enum Credential: Sendable {
        case nothing
        case secretInField(ClientSecret)
        case secretInForm(ClientSecret)
        case sharedKey(ClientSecretKey)
        case privateKey(any SigningKey, keyID: String?)
        case certificate
        case attestation(any ClientAttester)
    }

    /// The registered name of the method.
    public let method: ClientAuthenticationMethod
    let credential: Credential

    private init(_ method: ClientAuthenticationMethod, _ credential: Credential) {
        self.method = method
        self.credential = credential
    }

    /// A public client: every request has `client_id`, also a refresh (RFC 6749 section 3.2.1).
    public static let none = Self(.none, .nothing)

    /// `client_secret_basic`: identifier and secret, each form-encoded, in `Authorization` (RFC 6749 section 2.3.1).
    ///
    /// - Parameter secret: The secret.
    /// - Returns: The method.
    public static func clientSecretBasic(_ secret: ClientSecret) -> Self {
        Self(.clientSecretBasic, .secretInField(secret))
    }

    /// `client_secret_post`: the secret in the form (RFC 6749 section 2.3.1); for servers that support no better
    /// method.
    ///
    /// - Parameter secret: The secret.
    /// - Returns: The method.
    public static func clientSecretPost(_ secret: ClientSecret) -> Self {
        Self(.clientSecretPost, .secretInForm(secret))
    }

    /// `client_secret_jwt`: an assertion with a MAC; the secret itself is not sent (RFC 7523 section 2.2).
    ///
    /// - Parameter key: The secret and the algorithm, usually HS256.
    /// - Returns: The method.
    public static func clientSecretJWT(_ key: ClientSecretKey) -> Self {
        Self(.clientSecretJWT, .sharedKey(key))
    }

    /// `private_key_jwt`: an assertion signed with a key whose public key the server knows (RFC 7523 section 2.2).
    ///
    /// Each request has a new assertion, also a repeated one. The assertion names the client, and the issuer of the
    /// server as its only audience (see ``OAuth2ClientConfiguration/clientAssertionAudience``). It is valid for 60
    /// seconds.
    ///
    /// - Parameters:
    ///   - key: The key; not the one that tokens are bound to.
    ///   - keyID: `kid`, by which the server finds the public key; by default that of `key.publicKey`, if it has one.
    /// - Returns: The method.
    public static func privateKeyJWT(_ key: any SigningKey, keyID: String? = nil) -> Self {
        Self(.privateKeyJWT, .privateKey(key, keyID: keyID ?? key.publicKey.keyID))
    }

    /// `tls_client_auth`: the client certificate of the TLS connection, issued by a certificate authority (RFC 8705
    /// section 2.1).
    ///
    /// It needs a ``/OAuthTransport/ClientTransport`` that presents a certificate and says so with
    /// ``/OAuthTransport/ClientTransport/presentsClientCertificate``; ``/OAuthTransport/CurlTransport`` does so if it
    /// has a certificate; ``/OAuthTransport/URLSessionTransport`` does not. Requests are sent to the
    /// `mtls_endpoint_aliases` of the metadata, if there are any.
    public static let tlsClientAuth = Self(.tlsClientAuth, .certificate)

    /// `self_signed_tls_client_auth`: the client certificate of the TLS connection, which is itself registered (RFC
    /// 8705 section 2.2).
    ///
    /// See ``tlsClientAuth`` for the requirements.
    public static let selfSignedTLSClientAuth = Self(.selfSignedTLSClientAuth, .certificate)

    /// `attest_jwt_client_auth_dpop`: an attester says that the key of the account belongs to a genuine copy of the app,
    /// and each request has a DPoP proof of that key (draft-ietf-oauth-attestation-based-client-auth-11 section 5.2).
    ///
    /// For an app of which every copy has the same `client_id`. Tokens are bound to the key, so the configuration must be
    /// a ``BoundedTokenConfiguration``. The attestation is kept in memory, and renewed after four fifths of its life, or
    /// when the server calls it too old.
    ///
    /// - Parameter attester: Gets the attestations.
    /// - Returns: The method.
    public static func attested(by attester: any ClientAttester) -> Self {
        Self(.attestationWithDPoP, .attestation(attester))
    }

    var isAttested: Bool { method == .attestationWithDPoP }

    /// The name of the method; never a secret.
    public var description: String { method.rawValue }
    /// The name of the method; never a secret.
    public var debugDescription: String { method.rawValue }
    /// The name of the method; never a secret.
    public var customMirror: Mirror { Mirror(self, children: ["method": method]) }
}
