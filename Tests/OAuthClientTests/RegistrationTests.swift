// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7591, RFC 7592: dynamic client registration, over real sockets")
struct RegistrationTests {
    private let server: RegistrationServer
    private let registrar: ClientRegistrar

    init() throws {
        server = try RegistrationServer()
        registrar = try ClientRegistrar(issuer: server.issuer, allowsInsecureHTTPOnLoopback: true)
    }

    private var metadata: ClientMetadata {
        get throws {
            var metadata = ClientMetadata()
            metadata.redirectURIs = ["https://app.example/cb?a=b"]
            metadata.clientName = "Ünïcode"
            metadata.tokenEndpointAuthMethod = .clientSecretBasic
            metadata.scope = try Scope(["a", "b"])
            metadata.jwks = JWKSet([try TestKey.p256(9).publicKey])
            metadata.otherMembers = ["client_name#de": "Name"]
            return metadata
        }
    }

    private func register() async throws -> ClientRegistration {
        try await registrar.register(metadata, initialAccessToken: AccessToken(RegistrationServer.initialAccessToken))
    }

    @Test func `a client is registered, read, changed and deleted, always with the newest token`() async throws {
        let client = try await register()
        #expect(client.clientID == "c1")
        #expect(client.clientSecret?.value == "a secret with more than 32 characters")
        #expect(client.secretExpiresAt == nil)
        #expect(client.issuedAt == Timestamp(secondsSince1970: 1_790_000_000))
        #expect(try client.metadata == metadata)
        var changed = try metadata
        changed.clientName = "Another"
        let newer = try await registrar.update(client, to: changed)
        #expect(newer.metadata.clientName == "Another")
        #expect(newer.registrationAccessToken?.value == "token-2")
        #expect(try await registrar.read(newer) == newer)
        try await registrar.delete(newer)
        #expect(server.registered == nil)
        #expect(server.requests.map(\.method) == ["POST", "PUT", "GET", "DELETE"])
    }

    @Test func `a change names the client and its secret, and nothing that only the server may say`() async throws {
        let client = try await register()
        _ = try await registrar.update(client, to: metadata)
        let body = try #require(server.requests.last).body
        let object = try #require(try JSONValue(parsing: body).objectValue)
        #expect(object["client_id"] == "c1")
        #expect(object["client_secret"] == "a secret with more than 32 characters")
        for name in [
            "registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at",
        ] { #expect(object[name] == nil) }
    }

    @Test func `metadata says by default that the client uses DPoP`() {
        #expect(ClientMetadata().json == ["dpop_bound_access_tokens": true])
    }

    @Test func `what an answer does not repeat stays as it was`() async throws {
        let client = try await register()
        server.override([
            "registration_access_token": .null, "registration_client_uri": .null, "client_secret": .null,
        ])
        let read = try await registrar.read(client)
        #expect(read.registrationAccessToken == client.registrationAccessToken)
        #expect(read.registrationURI == client.registrationURI)
        #expect(read.clientSecret == client.clientSecret)
    }

    @Test func `an answer about another client is rejected`() async throws {
        let client = try await register()
        server.override(["client_id": "c2"])
        let error = await clientError { _ = try await registrar.read(client) }
        #expect(error?.code == .malformedResponse)
    }

    @Test(
        arguments: [
            ["client_id": .null], ["client_id": ""], ["client_secret": 5], ["registration_client_uri": "no uri"],
            ["registration_access_token": "a\nb"], ["client_secret_expires_at": -1], ["redirect_uris": "x"],
            ["jwks": []],
            ["client_uri": "no uri"],
        ] as [JSONObject]
    )
    func `an answer that is not of the form is malformed`(_ members: JSONObject) async throws {
        server.override(members)
        let error = await clientError { _ = try await register() }
        #expect(error?.code == .malformedResponse)
    }

    @Test func `a refusal keeps its code`() async throws {
        server.answer(once: .error(400, "invalid_redirect_uri"))
        let error = await clientError { _ = try await register() }
        #expect(error?.code == .serverRejected)
        #expect(error?.answer?.error == .invalidRedirectURI)
    }

    @Test(arguments: [401, 403, 405])
    func `a refusal that says nothing but its status is one`(_ status: Int) async throws {
        server.answer(once: HTTPResponse(status: status))
        let error = await clientError { _ = try await register() }
        #expect(error?.code == .serverRejected)
        #expect(error?.status == status)
    }

    @Test func `a token that was replaced is rejected`() async throws {
        let client = try await register()
        _ = try await registrar.update(client, to: metadata)
        let error = await clientError { _ = try await registrar.read(client) }
        #expect(error?.code == .serverRejected)
        #expect(error?.status == 401)
    }

    @Test func `a server without the endpoint, and one of another issuer, are not used`() async throws {
        server.override(metadata: ["registration_endpoint": .null])
        #expect(await clientError { _ = try await register() }?.code == .unsupportedByServer)
        server.override(metadata: ["issuer": "http://127.0.0.1:1"])
        #expect(await clientError { _ = try await register() }?.code == .metadataOfAnotherIssuer)
        #expect(server.requests.isEmpty)
    }

    @Test func `the token does not go where others could read it`() async throws {
        server.override(["registration_client_uri": "http://auth.example/register/c1"])
        let client = try await register()
        let error = await clientError { _ = try await registrar.read(client) }
        #expect(error?.code == .insecureURL)
        #expect(await clientError { _ = try ClientRegistrar(issuer: "http://auth.example") }?.code == .insecureURL)
    }

    @Test func `a client that cannot be managed says so`() async throws {
        server.override(["registration_client_uri": .null])
        let client = try await register()
        let error = await clientError { try await registrar.delete(client) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `what is stored is read again, and prints no secret`() async throws {
        let client = try await register()
        #expect(try ClientRegistration(parsing: client.json) == client)
        var dumped = ""
        dump(client, to: &dumped)
        let printed = "\(client) \(String(reflecting: client)) \(dumped)"
        #expect(!printed.contains("a secret"))
        #expect(!printed.contains("token-1"))
    }

    @Test(arguments: [
        ("none", "none"), ("client_secret_basic", "client_secret_basic"), ("client_secret_post", "client_secret_post"),
        ("client_secret_jwt", "client_secret_jwt"), ("private_key_jwt", "private_key_jwt"),
        ("tls_client_auth", "tls_client_auth"), ("self_signed_tls_client_auth", "self_signed_tls_client_auth"),
        (nil, "client_secret_basic"),
    ])
    func `a client authenticates itself as is registered`(_ registered: String?, _ expected: String) throws {
        var object: JSONObject = ["client_id": "c", "client_secret": "a secret with more than 32 characters"]
        object["token_endpoint_auth_method"] = registered.map { .string($0) }
        let authentication = try ClientRegistration(parsing: object).authentication(signingWith: TestKey.p256(9))
        #expect(authentication.method.rawValue == expected)
    }

    @Test(
        arguments: [
            ["token_endpoint_auth_method": "client_secret_post"], ["token_endpoint_auth_method": "private_key_jwt"],
            ["token_endpoint_auth_method": "other", "client_secret": "s"],
            ["token_endpoint_auth_method": "client_secret_jwt", "client_secret": "too short"],
            [
                "token_endpoint_auth_method": "client_secret_jwt",
                "client_secret": "a secret with more than 32 characters",
                "token_endpoint_auth_signing_alg": "none",
            ],
        ] as [JSONObject]
    )
    func `a method that lacks what it takes is an error`(_ members: JSONObject) async throws {
        let client = try ClientRegistration(parsing: members.merging(["client_id": "c"]))
        #expect(await clientError { _ = try client.authentication() }?.code == .invalidArgument)
    }
}
#endif
