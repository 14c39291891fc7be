// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport

/// A client with a secret or a key, and its authentication methods.
struct ConfidentialClient: Sendable {
    let server: ServerUnderTest
    let clientID: String
    let secret: String
    let key: SoftwareSigningKey

    /// A server with one client for each method, a second client with a key, and an API.
    static func server(
        audit: (any AuditSink)? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        try await ServerUnderTest.inMemory(
            clients: [
                try registration("basic", .clientSecretBasic), try registration("post", .clientSecretPost),
                try registration("signed", .privateKeyJWT), try registration("signed-2", .privateKeyJWT),
                try registration("api", .clientSecretBasic) {
                    $0.grantTypes = []
                    $0.introspectionAudiences = [ServerUnderTest.audience]
                },
            ],
            audit: audit,
            change
        )
    }

    static func registration(
        _ clientID: String,
        _ method: ClientAuthenticationMethod,
        _ change: (inout RegisteredClient) throws -> Void = { _ in }
    ) throws -> RegisteredClient {
        var client = try ServerUnderTest.client(
            clientID,
            redirectURIs: ["https://app.example.com/callback"],
            scope: "api:read api:write"
        )
        client.tokenEndpointAuthMethod = method
        client.grantTypes = [.authorizationCode, .refreshToken, .clientCredentials]
        if method == .privateKeyJWT {
            client.jwks = JWKSet([try TestKey.p256(7).publicKey])
        } else {
            client.secretHashes = [SecretHash(of: secret(of: clientID))]
        }
        try change(&client)
        return client
    }

    /// Colon, percent sign, plus and space: characters that reveal missing encoding.
    static func secret(of clientID: String) -> String { "secret: 100%+ of \(clientID)" }

    init(_ server: ServerUnderTest, _ clientID: String) throws {
        self.server = server
        self.clientID = clientID
        secret = Self.secret(of: clientID)
        key = try TestKey.p256(7)
    }

    /// `Authorization` with any identifier and secret.
    static func basic(_ clientID: String, _ secret: String) -> HTTPFields {
        let pair = FormParameters.encode(clientID) + ":" + FormParameters.encode(secret)
        return ["Authorization": "Basic " + Base64.encode(Array(pair.utf8))]
    }

    var basic: HTTPFields { Self.basic(clientID, secret) }

    /// Identifier and secret in the form.
    var posted: FormParameters { ["client_id": clientID, "client_secret": secret] }

    /// An assertion in the form.
    func signed(
        header: JSONObject = [:],
        by other: SoftwareSigningKey? = nil,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> FormParameters {
        let now = server.clock.now().secondsSince1970
        var claims: JSONObject = [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(ServerUnderTest.issuer),
            "jti": .string(Base64URL.encode(server.entropy.bytes(16))),
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 60)),
        ]
        change(&claims)
        let jwt = try await CompactJWS.sign(
            header: header,
            payload: JSONValue.object(claims).encoded(),
            with: other ?? key
        )
        return Self.form(assertion: jwt).adding("client_id", clientID)
    }

    static func form(assertion: String) -> FormParameters {
        [
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": assertion,
        ]
    }

    /// Requests a client credentials grant, with a proof.
    func tokens(_ credentials: FormParameters = [:], fields: HTTPFields = [:]) async throws -> HTTPResponse {
        let prover = try FakeClient(server)
        try await prover.fetchNonce()
        return try await prover.postOnce(
            "/token",
            credentials.adding("grant_type", "client_credentials"),
            fields: fields
        )
    }

    /// Introspects a token.
    func introspect(_ token: String) async -> HTTPResponse {
        await server.post("/introspect", ["token": token], fields: basic)
    }
}
