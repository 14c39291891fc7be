// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore

/// How a client shows the authorization server who it is: at every endpoint that asks for it, at every request.
///
/// What runs on users' devices keeps no secret and is a public client: ``none``. PKCE and DPoP protect it (RFC 8252
/// section 8.4). It does not print more than the name of the method.
public struct ClientAuthentication: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    enum Credential: Sendable {
        case nothing
        case secretInField(ClientSecret)
        case secretInForm(ClientSecret)
        case sharedKey(ClientSecretKey)
        case privateKey(any SigningKey, keyID: String?)
        case certificate
    }

    /// The registered name of the method.
    public let method: ClientAuthenticationMethod
    let credential: Credential

    private init(_ method: ClientAuthenticationMethod, _ credential: Credential) {
        self.method = method
        self.credential = credential
    }

    /// A public client: `client_id` goes along with every request, also with a refresh (RFC 6749 section 3.2.1).
    public static let none = Self(.none, .nothing)

    /// `client_secret_basic`: identifier and secret, each encoded as in a form, in `Authorization` (RFC 6749 section 2.3.1).
    ///
    /// - Parameter secret: The secret.
    /// - Returns: The method.
    public static func clientSecretBasic(_ secret: ClientSecret) -> Self {
        Self(.clientSecretBasic, .secretInField(secret))
    }

    /// `client_secret_post`: the secret in the form (RFC 6749 section 2.3.1); for servers that know nothing better.
    ///
    /// - Parameter secret: The secret.
    /// - Returns: The method.
    public static func clientSecretPost(_ secret: ClientSecret) -> Self {
        Self(.clientSecretPost, .secretInForm(secret))
    }

    /// `client_secret_jwt`: an assertion with a code made of the secret, which itself is not sent (RFC 7523 section 2.2).
    ///
    /// - Parameter key: The secret and the algorithm, mostly HS256.
    /// - Returns: The method.
    public static func clientSecretJWT(_ key: ClientSecretKey) -> Self {
        Self(.clientSecretJWT, .sharedKey(key))
    }

    /// `private_key_jwt`: an assertion signed with a key whose public half the server knows (RFC 7523 section 2.2).
    ///
    /// Each request carries a new one, a repeated request too: it names the client, the issuer of the server as its only
    /// audience (see ``OAuth2ClientConfiguration/clientAssertionAudience``), and lives 60 seconds.
    ///
    /// - Parameters:
    ///   - key: The key; another one than tokens are bound to.
    ///   - keyID: `kid`, by which the server finds the public half; by default that of `key.publicKey`, if it has one.
    /// - Returns: The method.
    public static func privateKeyJWT(_ key: any SigningKey, keyID: String? = nil) -> Self {
        Self(.privateKeyJWT, .privateKey(key, keyID: keyID ?? key.publicKey.keyID))
    }

    /// `tls_client_auth`: the certificate of the connection, issued by an authority (RFC 8705 section 2.1).
    ///
    /// It takes a ``/OAuthTransport/ClientTransport`` that presents one and says so with
    /// ``/OAuthTransport/ClientTransport/presentsClientCertificate``; ``/OAuthTransport/CurlTransport`` does, once it has a
    /// certificate, and ``/OAuthTransport/URLSessionTransport`` does not. Requests go to the `mtls_endpoint_aliases` of the
    /// metadata, where there are any.
    public static let tlsClientAuth = Self(.tlsClientAuth, .certificate)

    /// `self_signed_tls_client_auth`: the certificate of the connection, registered itself (RFC 8705 section 2.2).
    ///
    /// See ``tlsClientAuth`` for what it takes.
    public static let selfSignedTLSClientAuth = Self(.selfSignedTLSClientAuth, .certificate)

    /// The name of the method, no secret.
    public var description: String { method.rawValue }
    /// The name of the method, no secret.
    public var debugDescription: String { method.rawValue }
    /// The name of the method, no secret.
    public var customMirror: Mirror { Mirror(self, children: ["method": method]) }
}
