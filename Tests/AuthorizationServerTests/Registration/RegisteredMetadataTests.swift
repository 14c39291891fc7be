// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("What clients that register themselves ask for, and what they get: RFC 7591 sections 2 and 3.2.1")
struct RegisteredMetadataTests {
    private func server(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        let scope = try Scope(parsing: "api:read")
        return try await ServerUnderTest.inMemory { configuration in
            configuration.unregisteredClients.isRegistrationOpen = true
            configuration.unregisteredClients.scope = scope
            change(&configuration)
        }
    }

    private func register(at server: ServerUnderTest, _ metadata: JSONObject) async -> HTTPResponse {
        var object: JSONObject = [
            "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none",
            "client_name": "Agent", "grant_types": ["authorization_code", "refresh_token"],
        ]
        for member in metadata.members { object[member.name] = member.value }
        return await server.send(
            HTTPRequest(
                method: "POST",
                target: "/register",
                fields: ["Content-Type": "application/json"],
                body: JSONValue.object(object).encoded()
            )
        )
    }

    @Test func `of the grant types that it names a client gets those that it may have`() async throws {
        let server = try await server()
        let all = await server.get("/.well-known/oauth-authorization-server").json["grant_types_supported"]
        let named: [JSONValue] = [
            // As VS Code does: whatever the metadata of the server list.
            try #require(all), ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
            ["client_credentials", "authorization_code"], ["authorization_code", "implicit", "urn:example:other"],
        ]
        for (types, hasRefresh) in zip(named, [true, true, false, false]) {
            let response = await register(at: server, ["grant_types": types])
            #expect(response.status == 201, "\(response.text)")
            let expected: [GrantType] = hasRefresh ? [.authorizationCode, .refreshToken] : [.authorizationCode]
            let given = (response.json["grant_types"]?.arrayValue ?? []).compactMap(\.stringValue)
            #expect(Set(given) == Set(expected.map(\.rawValue)) && given.count == expected.count)
            let stored = try await server.storage.client(response.string("client_id"))
            #expect(stored.map { Set($0.grantTypes) } == Set(expected))
        }
    }

    /// Members whose value a client may leave open.
    static let optional = [
        "application_type", "client_name", "contacts", "dpop_bound_access_tokens", "grant_types",
        "id_token_signed_response_alg", "initiate_login_uri", "jwks", "jwks_uri", "logo_uri",
        "post_logout_redirect_uris", "request_object_signing_alg", "request_uris",
        "require_pushed_authorization_requests", "require_signed_request_object", "response_types", "scope",
        "sector_identifier_uri", "software_statement", "token_endpoint_auth_signing_alg",
    ]

    @Test func `RFC 7592 section 2.2, null says as little as no member`() async throws {
        let server = try await server()
        var metadata = JSONObject()
        for name in Self.optional { metadata[name] = .null }
        let response = await register(at: server, metadata)
        #expect(response.status == 201, "\(response.text)")
        #expect(response.json["grant_types"] == ["authorization_code"])
        #expect(response.json["application_type"] == "native")
        #expect(response.json["scope"] == "api:read" && response.json["dpop_bound_access_tokens"] == true)
        let text = response.text
        #expect(!text.contains("null") && !text.contains("require_signed") && !text.contains("request_uris"))
    }

    @Test func `RFC 7591 section 2, what names nothing to fetch is ignored`() async throws {
        let server = try await server()
        let ignored: [JSONObject] = [
            ["initiate_login_uri": "https://app.example/login"], ["request_uris": []],
            ["post_logout_redirect_uris": [], "contacts": [], "response_types": []],
        ]
        for metadata in ignored {
            let response = await register(at: server, metadata)
            #expect(response.status == 201, "\(response.text)")
            #expect(!response.text.contains("login"))
        }
        let fetched: [JSONObject] = [
            ["request_uris": [""]], ["request_uris": "https://app.example/r"],
            ["sector_identifier_uri": "https://app.example/s", "request_uris": []],
        ]
        for metadata in fetched {
            expect(await register(at: server, metadata), isError: "invalid_client_metadata")
        }
    }

    @Test func `an app that also lists a page, and does not say what it is, is a native app`() async throws {
        let server = try await server()
        let page = "https://app.example/callback"
        for own in ["http://127.0.0.1/callback", "http://localhost/callback", "com.example.app:/callback"] {
            for uris in [[page, own], [own, page]] {
                let response = await register(at: server, ["redirect_uris": .strings(uris)])
                #expect(response.status == 201, "\(response.text)")
                #expect(response.json["application_type"] == "native")
                let stored = try #require(try await server.storage.client(response.string("client_id")))
                #expect(stored.redirectURIs == uris && stored.allowedWebOrigins.isEmpty)
            }
            let web: JSONObject = ["redirect_uris": .strings([page, own]), "application_type": "web"]
            expect(await register(at: server, web), isError: "invalid_redirect_uri")
        }
        let remote: JSONObject = ["redirect_uris": .strings([page, "http://app.example/callback"])]
        expect(await register(at: server, remote), isError: "invalid_redirect_uri")
    }

    /// The metadata of a client with a key that signs by ES256.
    private func signing(_ change: (inout JSONObject) -> Void = { _ in }) throws -> JSONObject {
        var metadata: JSONObject = ["require_signed_request_object": true]
        metadata["jwks"] = .object(JWKSet([try TestKey.p256(7).publicKey]).json)
        change(&metadata)
        return metadata
    }

    /// A pushed request that is signed, by the key of the client.
    private func pushSigned(_ client: FakeClient) async throws -> HTTPResponse {
        let now = client.server.clock.now().secondsSince1970
        var claims: JSONObject = [
            "iss": .string(client.clientID), "aud": .string(ServerUnderTest.issuer), "nbf": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + 60)),
        ]
        for parameter in client.attempt().parameters.all { claims[parameter.name] = .string(parameter.value) }
        let object = try await CompactJWS.sign(
            header: ["typ": "oauth-authz-req+jwt"],
            payload: JSONValue.object(claims).encoded(),
            with: TestKey.p256(7)
        )
        return try await client.post("/par", ["client_id": client.clientID, "request": object])
    }

    @Test func `RFC 9101 section 10.5, a client that must sign its requests cannot send unsigned ones`() async throws {
        let server = try await server()
        let metadata = try signing { $0["request_object_signing_alg"] = "ES256" }
        let response = await register(at: server, metadata)
        #expect(response.status == 201, "\(response.text)")
        #expect(response.json["require_signed_request_object"] == true)
        #expect(response.json["request_object_signing_alg"] == "ES256")
        let clientID = try response.string("client_id")
        let stored = try #require(try await server.storage.client(clientID))
        #expect(stored.requireSignedRequestObject && stored.requestObjectSigningAlgorithm == .es256)
        let client = FakeClient(
            server,
            clientID: clientID,
            redirectURI: "http://127.0.0.1/callback",
            key: try TestKey.p256(2)
        )
        expect(try await client.push(client.attempt()), isError: "invalid_request")
        #expect(try await pushSigned(client).status == 201)
    }

    @Test func `what a client promises about its requests, and could not keep here, is rejected`() async throws {
        let server = try await server()
        let changes: [(inout JSONObject) -> Void] = [
            { $0["jwks"] = nil }, { $0["jwks"] = ["keys": []] },
            { metadata in
                metadata["jwks"] = nil
                metadata["require_signed_request_object"] = nil
                metadata["request_object_signing_alg"] = "ES256"
            },
            { $0["require_signed_request_object"] = "true" }, { $0["require_signed_request_object"] = 1 },
            { $0["request_object_signing_alg"] = "PS256" }, { $0["request_object_signing_alg"] = "none" },
            { $0["request_object_signing_alg"] = "HS256" }, { $0["request_object_signing_alg"] = true },
        ]
        for change in changes {
            expect(try await register(at: server, signing(change)), isError: "invalid_client_metadata")
        }
        let other = try await self.server { $0.requestObjectAlgorithms = [.ps256] }
        expect(try await register(at: other, signing()), isError: "invalid_client_metadata")
        #expect(try await register(at: server, signing()).status == 201)
    }
}
