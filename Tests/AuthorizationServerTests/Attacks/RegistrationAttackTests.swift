// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Clients that register themselves, and attacks on that: RFC 7591", .overSocketsOnEveryStore)
struct RegistrationAttackTests {
    private static let redirectURI = "https://new.example.com/callback"

    private func server(
        uses: Int = 1000,
        policy: RegistrationTokenPolicy? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> (server: ServerUnderTest, token: String) {
        let server = try await ServerUnderTest.inMemory(change)
        let administration = ServerAdministration(storage: server.storage, clock: server.clock, entropy: server.entropy)
        let token = try await administration.newRegistrationToken(
            uses: uses,
            lifetime: .seconds(3600),
            policy: policy ?? RegistrationTokenPolicy(scope: try Scope(parsing: "api:read api:write"))
        )
        return (server, token.value)
    }

    private func register(
        at server: ServerUnderTest,
        _ token: String?,
        _ metadata: JSONObject = [:],
        type: String = "application/json"
    ) async -> HTTPResponse {
        var object: JSONObject = [
            "redirect_uris": [.string(Self.redirectURI)], "token_endpoint_auth_method": "none",
            "client_name": "New App", "grant_types": ["authorization_code", "refresh_token"],
        ]
        for member in metadata.members { object[member.name] = member.value == .null ? nil : member.value }
        var request = HTTPRequest(
            method: "POST",
            target: "/register",
            fields: ["Content-Type": type],
            body: JSONValue.object(object).encoded()
        )
        if let token { request.fields["Authorization"] = "Bearer \(token)" }
        return await server.send(request)
    }

    @Test func `a client that registers itself gets the origins of its own pages, and its users are told`() async throws
    {
        let (server, token) = try await server()
        let response = await register(at: server, token, ["scope": "api:read"])
        #expect(response.json["application_type"] == "web")
        let clientID = try response.string("client_id")
        let stored = try #require(try await server.storage.client(clientID))
        #expect(stored.origin == .registeredItself)
        #expect(stored.allowedWebOrigins == ["https://new.example.com"])
        let client = FakeClient(server, clientID: clientID, redirectURI: Self.redirectURI, key: try TestKey.p256(2))
        let browser = try await server.signedInBrowser()
        let page = try await browser.get(client.pushedTarget(client.attempt()))
        #expect(page.text.contains("registered itself here"))
        #expect(!page.text.contains("Do not ask me again"))
        let other = try FakeClient(server)
        let trusted = try await browser.get(other.pushedTarget(other.attempt()))
        #expect(!trusted.text.contains("registered itself here"))
        #expect(trusted.text.contains("Do not ask me again"))
    }

    @Test func `what a client runs on decides its redirect URIs`() async throws {
        let (server, token) = try await server()
        let cases: [(JSONValue, String, String?)] = [
            (.null, "http://127.0.0.1/cb", "native"), (.null, "http://localhost/cb", "native"),
            (.null, "com.example.app:/cb", "native"), ("native", "https://app.example/cb", "native"),
            (.null, "https://app.example/cb", "web"), ("web", "http://127.0.0.1/cb", nil),
            ("web", "http://localhost/cb", nil), ("desktop", "https://app.example/cb", nil),
            (1, "https://app.example/cb", nil),
        ]
        for (type, uri, expected) in cases {
            let response = await register(
                at: server,
                token,
                ["application_type": type, "redirect_uris": [.string(uri)]]
            )
            #expect(response.status == (expected == nil ? 400 : 201), "\(uri): \(response.text)")
            #expect(response.json["application_type"]?.stringValue == expected)
            guard expected == "native" else { continue }
            let client = try await server.storage.client(response.string("client_id"))
            #expect(client?.allowedWebOrigins == [])
        }
    }

    @Test func `a public client registers itself and signs somebody in`() async throws {
        let (server, token) = try await server(uses: 1)
        let response = await register(at: server, token, ["scope": "api:read"])
        #expect(response.status == 201, "\(response.text)")
        #expect(response.fields["Cache-Control"] == "no-store")
        #expect(response.json["client_secret"] == nil)
        #expect(response.json["token_endpoint_auth_method"] == "none" && response.json["scope"] == "api:read")
        let client = FakeClient(
            server,
            clientID: try response.string("client_id"),
            redirectURI: Self.redirectURI,
            key: try TestKey.p256(2)
        )
        #expect(try await client.signIn().status == 200)
        // The token was valid for one client.
        expect(await register(at: server, token), isError: "invalid_token", status: 401)
    }

    @Test func `a client that does not say otherwise is bound to a key`() async throws {
        let (server, token) = try await server { $0.requireDPoP = false }
        let response = await register(at: server, token)
        #expect(response.json["dpop_bound_access_tokens"] == true)
        let client = FakeClient(
            server,
            clientID: try response.string("client_id"),
            redirectURI: Self.redirectURI,
            key: nil
        )
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        expect(try await client.redeem(code, attempt), isError: "invalid_dpop_proof")
    }

    @Test(arguments: [false, true], [false, true])
    func `a client asks for Bearer tokens in vain, unless both server and token allow them`(
        serverAllows: Bool,
        tokenAllows: Bool
    ) async throws {
        let policy = RegistrationTokenPolicy(allowsBearerTokens: tokenAllows)
        let (server, token) = try await server(policy: policy) { $0.requireDPoP = !serverAllows }
        let response = await register(at: server, token, ["dpop_bound_access_tokens": false])
        guard serverAllows, tokenAllows else { return expect(response, isError: "invalid_client_metadata") }
        #expect(response.status == 201 && response.json["dpop_bound_access_tokens"] == false)
    }

    @Test func `a client gets no scope beyond its registration token's`() async throws {
        let (server, token) = try await server(policy: RegistrationTokenPolicy(scope: try Scope(parsing: "api:read")))
        #expect(await register(at: server, token).json["scope"] == "api:read")
        for scope in ["api:write", "api:read api:write", "openid"] {
            expect(await register(at: server, token, ["scope": .string(scope)]), isError: "invalid_client_metadata")
        }
        let (other, plain) = try await self.server(policy: RegistrationTokenPolicy())
        #expect(await register(at: other, plain).json["scope"] == "")
        expect(await register(at: other, plain, ["scope": "api:read"]), isError: "invalid_client_metadata")
    }

    @Test(arguments: [
        "require_pushed_authorization_requests", "dpop_bound_access_tokens", "id_token_signed_response_alg",
    ])
    func `a member of another type is rejected, and never counts as something weaker`(name: String) async throws {
        let (server, token) = try await server()
        let wrong: [JSONValue] = name.hasSuffix("alg") ? [true, 1, [], [:]] : ["true", 1, 0, [], [:]]
        for value in wrong {
            expect(await register(at: server, token, [name: value]), isError: "invalid_client_metadata")
        }
    }

    @Test func `a secret is shown once, stored as a hash, and works`() async throws {
        let (server, token) = try await server()
        let response = await register(at: server, token, ["token_endpoint_auth_method": .null])
        #expect(response.json["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(response.json["client_secret_expires_at"] == 0)
        let (clientID, secret) = (try response.string("client_id"), try response.string("client_secret"))
        let stored = try #require(try await server.storage.client(clientID))
        #expect(stored.secretHashes == [SecretHash(of: secret)])
        let basic = ConfidentialClient.basic(clientID, secret)
        #expect(await server.post("/introspect", ["token": "x"], fields: basic).json == ["active": false])
        let wrong = ConfidentialClient.basic(clientID, secret + "x")
        expect(await server.post("/introspect", ["token": "x"], fields: wrong), isError: "invalid_client", status: 401)
    }

    @Test func `attack 130, registration_without_token`() async throws {
        let (server, token) = try await server()
        for wrong in [nil, "", "x", token + "x", token.uppercased(), String(repeating: "a", count: 4000)] {
            let response = await register(at: server, wrong)
            expect(response, isError: "invalid_token", status: 401)
            #expect(response.fields["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
        }
        var twice = HTTPRequest(method: "POST", target: "/register", fields: ["Content-Type": "application/json"])
        for _ in 0..<2 { twice.fields.append(name: "Authorization", value: "Bearer \(token)") }
        expect(await server.send(twice), isError: "invalid_token", status: 401)
        server.clock.advance(by: .seconds(3600))
        expect(await register(at: server, token), isError: "invalid_token", status: 401)
        #expect(try await server.storage.clients().count == 2)
    }

    @Test(arguments: [
        "http://new.example.com/callback", "https://new.example.com/#a", "https://a@new.example.com/", "app:/callback",
        "javascript:alert(1)", "data:text/html,x", "http://localhost.example/callback", "/callback", "",
        "https://new.example.com/?code=x", "https://new.example.com/" + String(repeating: "a", count: 2048),
    ])
    func `attack 130, redirect to http, and other addresses`(uri: String) async throws {
        let (server, token) = try await server()
        let response = await register(at: server, token, ["redirect_uris": [.string(uri)]])
        expect(response, isError: "invalid_redirect_uri")
        let both = await register(at: server, token, ["redirect_uris": [.string(Self.redirectURI), .string(uri)]])
        expect(both, isError: "invalid_redirect_uri")
        let logout = await register(at: server, token, ["post_logout_redirect_uris": [.string(uri)]])
        expect(logout, isError: "invalid_redirect_uri")
    }

    @Test(
        arguments: [
            ["jwks_uri": "http://127.0.0.1/jwks"], ["jwks_uri": "https://169.254.169.254/latest"],
            ["sector_identifier_uri": "http://127.0.0.1/"], ["request_uris": ["https://127.0.0.1/r"]],
        ] as [JSONObject]
    )
    func `attack 130, jwks_uri to 127.0.0.1, and all else that the server would fetch`(
        metadata: JSONObject
    ) async throws {
        let (server, token) = try await server()
        expect(await register(at: server, token, metadata), isError: "invalid_client_metadata")
    }

    /// URLs that pages would make the browser load, and unverifiable statements, are ignored and not returned.
    @Test func `attack 127, logo_uri_not_hotlinked`() async throws {
        let (server, token) = try await server()
        let response = await register(
            at: server,
            token,
            ["logo_uri": "https://evil.example/logo.svg", "client_name": "<script>alert(1)</script>"]
        )
        #expect(response.status == 201)
        #expect(!response.text.contains("evil.example"))
        let client = FakeClient(
            server,
            clientID: try response.string("client_id"),
            redirectURI: Self.redirectURI,
            key: try TestKey.p256(2)
        )
        let page = await (try await server.signedInBrowser()).get(try await client.pushedTarget(client.attempt()))
        #expect(page.status == 200)
        #expect(!page.text.contains("evil.example") && !page.text.contains("<script>alert"))
    }

    @Test(
        arguments: [
            ["grant_types": ["client_credentials"]], ["grant_types": ["refresh_token", "client_credentials"]],
            ["grant_types": ["implicit"]], ["grant_types": ["password"]], ["grant_types": []],
            ["grant_types": ["refresh_token"]], ["response_types": ["token"]], ["response_types": ["code id_token"]],
            ["scope": "admin"], ["scope": "api:read admin"], ["scope": "a  b"], ["redirect_uris": []],
            ["redirect_uris": "https://new.example.com/callback"], ["client_name": ""],
            ["token_endpoint_auth_method": "client_secret_jwt"], ["token_endpoint_auth_method": "tls_client_auth"],
            ["token_endpoint_auth_method": "private_key_jwt"], ["token_endpoint_auth_signing_alg": "none"],
            ["token_endpoint_auth_signing_alg": "HS256"], ["id_token_signed_response_alg": "none"],
            ["id_token_signed_response_alg": "HS256"], ["dpop_bound_access_tokens": "yes"],
        ] as [JSONObject]
    )
    func `metadata that asks for more than there is`(metadata: JSONObject) async throws {
        let (server, token) = try await server()
        expect(await register(at: server, token, metadata), isError: "invalid_client_metadata")
        #expect(try await server.storage.clients().count == 2)
    }

    @Test func `keys come as jwks, public ones only`() async throws {
        let (server, token) = try await server()
        let key = try TestKey.p256(7).publicKey.json
        var secret = key
        secret["d"] = "AAAA"
        for keys in [[secret], [key, secret], [["kty": "oct", "k": "AAAA"]], []] as [[JSONObject]] {
            let response = await register(
                at: server,
                token,
                [
                    "token_endpoint_auth_method": "private_key_jwt",
                    "jwks": ["keys": .array(keys.map { .object($0) })],
                ]
            )
            expect(response, isError: "invalid_client_metadata")
        }
        let response = await register(
            at: server,
            token,
            ["token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [.object(key)]]]
        )
        #expect(response.status == 201, "\(response.text)")
        #expect(response.json["client_secret"] == nil)
    }

    @Test func `what is no JSON object, too long or of another type`() async throws {
        let (server, token) = try await server()
        let fields: HTTPFields = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
        for body in ["", "[]", "\"x\"", "{", "{\"a\":1,\"a\":2}", "{} x"] {
            let request = HTTPRequest(method: "POST", target: "/register", fields: fields, body: Array(body.utf8))
            expect(await server.send(request), isError: "invalid_client_metadata")
        }
        let long = await register(at: server, token, ["contacts": [.string(String(repeating: "a", count: 16_384))]])
        expect(long, isError: "invalid_client_metadata", status: 413)
        let form = await register(at: server, token, type: "application/x-www-form-urlencoded")
        expect(form, isError: "invalid_client_metadata", status: 415)
        #expect(await server.get("/register").status == 405)
    }

    @Test func `with FAPI 2.0, clients register with keys only`() async throws {
        let (server, token) = try await server { $0.adopt(.fapi2) }
        for method in ["none", "client_secret_basic", "client_secret_post"] {
            let response = await register(at: server, token, ["token_endpoint_auth_method": .string(method)])
            expect(response, isError: "invalid_client_metadata")
        }
        let key = try TestKey.p256(7).publicKey.json
        let response = await register(
            at: server,
            token,
            ["token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [.object(key)]]]
        )
        #expect(response.status == 201, "\(response.text)")
    }

    @Test func `guesses at the token are limited`() async throws {
        let (server, _) = try await server { $0.rateLimits.token = RateLimit(5, per: .seconds(60)) }
        let stranger = server.seen(from: "203.0.113.9")
        for _ in 0..<5 { #expect(await register(at: stranger, "x").status == 401) }
        #expect(await register(at: stranger, "x").status == 429)
    }

    @Test(arguments: [
        "require_pushed_authorization_requests", "id_token_signed_response_alg", "post_logout_redirect_uris",
        "dpop_bound_access_tokens", "scope", "grant_types", "client_name",
    ])
    func `RFC 7591 section 3.2.2, a member of another type registers nothing weaker than it asks for`(
        member: String
    ) async throws {
        let (server, token) = try await server()
        let fitting: [JSONValue] = [true, "ES256", ["https://new.example.com/bye"], "api:read", ["authorization_code"]]
        for value in ["true", 1, [true], ["a": true], [], "x"] as [JSONValue] where !fitting.contains(value) {
            if member == "post_logout_redirect_uris", value == [] { continue }
            if ["client_name", "id_token_signed_response_alg", "scope"].contains(member), value.stringValue != nil {
                continue
            }
            let answer = await register(at: server, token, [member: value])
            #expect(answer.status == 400, "\(member): \(value)")
            #expect(answer.json["error"] == "invalid_client_metadata")
        }
    }
}
