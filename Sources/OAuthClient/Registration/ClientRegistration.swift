// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import OAuthCore
public import OAuthSystem
public import StrictJSON

/// A client as a server registered it (RFC 7591 section 3.2.1), with the URI and token to read and change the
/// registration.
///
/// Its secret and its token do not print.
public struct ClientRegistration: Sendable, Hashable {
    /// The identifier that the server issued.
    public let clientID: String
    /// The secret that the server issued; `nil` for a method that needs none.
    public let clientSecret: ClientSecret?
    /// When the identifier was issued.
    public let issuedAt: Timestamp?
    /// When the secret expires; `nil` for never.
    public let secretExpiresAt: Timestamp?
    /// The URI to read and change the registration (RFC 7592); `nil` if the server has none.
    public let registrationURI: URI?
    /// The token for ``registrationURI``; anyone who has it can change the client.
    public let registrationAccessToken: AccessToken?
    /// The registered metadata; the server may have changed what was requested.
    public let metadata: ClientMetadata

    /// Reads a response of the server, or JSON that ``json`` wrote.
    ///
    /// - Parameter object: The registration as JSON.
    /// - Throws: ``OAuthClientError/Code/malformedResponse``.
    public init(parsing object: JSONObject) throws(OAuthClientError) {
        guard let clientID = object["client_id"]?.stringValue, !clientID.isEmpty else {
            throw Self.malformed("client_id", nil)
        }
        self.clientID = clientID
        clientSecret = try Self.text("client_secret", in: object).map { ClientSecret($0) }
        registrationAccessToken = try Self.text("registration_access_token", in: object).map { AccessToken($0) }
        issuedAt = try Self.time("client_id_issued_at", in: object)
        let expiry = try Self.time("client_secret_expires_at", in: object)
        // 0 means never.
        secretExpiresAt = expiry?.secondsSince1970 == 0 ? nil : expiry
        registrationURI = try Self.uri("registration_client_uri", in: object)
        var rest = object
        for name in Self.ownMembers { rest[name] = nil }
        do {
            metadata = try ClientMetadata(parsing: rest)
        } catch {
            throw Self.malformed("the metadata", error)
        }
    }

    private init(
        _ client: ClientRegistration,
        uri: URI?,
        token: AccessToken?,
        secret: ClientSecret?,
        expiry: Timestamp?
    ) {
        clientID = client.clientID
        issuedAt = client.issuedAt
        metadata = client.metadata
        registrationURI = uri
        registrationAccessToken = token
        clientSecret = secret
        secretExpiresAt = expiry
    }

    /// The registration as JSON, secrets in clear: for a store that encrypts or protects it.
    public var json: JSONObject {
        var object = metadata.json
        object["client_id"] = .string(clientID)
        object["client_secret"] = clientSecret.map { .string($0.value) }
        object["client_id_issued_at"] = issuedAt.map { .number(JSONNumber($0.secondsSince1970)) }
        object["client_secret_expires_at"] = secretExpiresAt.map { .number(JSONNumber($0.secondsSince1970)) }
        object["registration_client_uri"] = registrationURI.map { .string($0.description) }
        object["registration_access_token"] = registrationAccessToken.map { .string($0.value) }
        return object
    }

    /// How the client authenticates, by its registered method.
    ///
    /// - Parameter key: The private key, for `private_key_jwt`.
    /// - Returns: The value for ``OAuth2ClientConfiguration/clientAuthentication``.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` when the key or secret for the method is missing, or this
    ///   library does not support the method.
    public func authentication(
        signingWith key: (any SigningKey)? = nil
    ) throws(OAuthClientError) -> ClientAuthentication {
        let method = metadata.tokenEndpointAuthMethod ?? .clientSecretBasic
        switch (method, clientSecret, key) {
        case (.none, _, _): return .none
        case (.tlsClientAuth, _, _): return .tlsClientAuth
        case (.selfSignedTLSClientAuth, _, _): return .selfSignedTLSClientAuth
        case (.clientSecretBasic, let secret?, _): return .clientSecretBasic(secret)
        case (.clientSecretPost, let secret?, _): return .clientSecretPost(secret)
        case (.privateKeyJWT, _, let key?): return .privateKeyJWT(key)
        case (.clientSecretJWT, let secret?, _): return .clientSecretJWT(try assertionKey(secret))
        default: throw OAuthClientError(.invalidArgument, "the registered method takes something that is not there")
        }
    }

    private func assertionKey(_ secret: ClientSecret) throws(OAuthClientError) -> ClientSecretKey {
        let name = metadata.tokenEndpointAuthSigningAlg ?? MACAlgorithm.hs256.rawValue
        guard let algorithm = [MACAlgorithm.hs256, .hs384, .hs512].first(where: { $0.rawValue == name }) else {
            throw OAuthClientError(.invalidArgument, "the registered algorithm makes no assertions with a secret")
        }
        do {
            return try ClientSecretKey(secret: Array(secret.value.utf8), algorithm: algorithm)
        } catch {
            throw OAuthClientError(.invalidArgument, error.reason, underlying: error)
        }
    }

    /// The newer registration, completed with the members that its response did not repeat.
    func completed(by earlier: ClientRegistration) -> ClientRegistration {
        ClientRegistration(
            self,
            uri: registrationURI ?? earlier.registrationURI,
            token: registrationAccessToken ?? earlier.registrationAccessToken,
            secret: clientSecret ?? earlier.clientSecret,
            expiry: clientSecret == nil ? earlier.secretExpiresAt : secretExpiresAt
        )
    }

    private static let ownMembers = [
        "client_id", "client_secret", "client_id_issued_at", "client_secret_expires_at", "registration_client_uri",
        "registration_access_token",
    ]

    private static func text(_ name: String, in object: JSONObject) throws(OAuthClientError) -> String? {
        guard let value = object[name], value != .null else { return nil }
        // A token must fit into a header field.
        guard let text = value.stringValue, text.utf8.count <= 16_384, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else { throw malformed(name, nil) }
        return text.isEmpty ? nil : text
    }

    private static func time(_ name: String, in object: JSONObject) throws(OAuthClientError) -> Timestamp? {
        guard let value = object[name], value != .null else { return nil }
        guard let seconds = value.integerValue, seconds >= 0 else { throw malformed(name, nil) }
        return Timestamp(secondsSince1970: seconds)
    }

    private static func uri(_ name: String, in object: JSONObject) throws(OAuthClientError) -> URI? {
        guard let text = try text(name, in: object) else { return nil }
        guard let uri = try? URI(parsing: text) else { throw malformed(name, nil) }
        return uri
    }

    private static func malformed(_ name: String, _ underlying: (any Error)?) -> OAuthClientError {
        OAuthClientError(
            .malformedResponse,
            "'\(name)' of the registration is missing or malformed",
            underlying: underlying
        )
    }
}
