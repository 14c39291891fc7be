// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import Dispatch
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("What the endpoints answer")
struct ResponseTests {
    private static let methods: JSONValue = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]
    private static let algorithms: JSONValue = ["ES256", "Ed25519", "EdDSA", "PS256"]

    @Test func `RFC 8414 section 2, the metadata says what is there and nothing else`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let response = await server.get("/.well-known/oauth-authorization-server")
        #expect(response.status == 200)
        #expect(response.fields["Content-Type"] == "application/json")
        #expect(response.fields.values(for: "Cache-Control") == ["public, max-age=300"])
        #expect(response.fields["Access-Control-Allow-Origin"] == "*")
        let expected: JSONObject = [
            "issuer": "https://auth.example.com",
            "authorization_endpoint": "https://auth.example.com/authorize",
            "token_endpoint": "https://auth.example.com/token",
            "jwks_uri": "https://auth.example.com/jwks",
            "pushed_authorization_request_endpoint": "https://auth.example.com/par",
            "revocation_endpoint": "https://auth.example.com/revoke",
            "registration_endpoint": "https://auth.example.com/register",
            "scopes_supported": ["api:read", "api:write"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "form_post"],
            "introspection_endpoint": "https://auth.example.com/introspect",
            "device_authorization_endpoint": "https://auth.example.com/device_authorization",
            "grant_types_supported": [
                "authorization_code", "refresh_token", "client_credentials",
                "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange",
            ],
            "token_endpoint_auth_methods_supported": Self.methods,
            "revocation_endpoint_auth_methods_supported": Self.methods,
            "introspection_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_post", "private_key_jwt",
            ],
            "token_endpoint_auth_signing_alg_values_supported": Self.algorithms,
            "revocation_endpoint_auth_signing_alg_values_supported": Self.algorithms,
            "introspection_endpoint_auth_signing_alg_values_supported": Self.algorithms,
            "code_challenge_methods_supported": ["S256"],
            "dpop_signing_alg_values_supported": ["ES256", "Ed25519", "EdDSA"],
            "authorization_response_iss_parameter_supported": true,
            "request_object_signing_alg_values_supported": Self.algorithms,
        ]
        for member in expected.members { #expect(response.json[member.name] == member.value, "\(member.name)") }
        let others = response.json.members.filter { expected[$0.name] == nil }.map(\.name)
        #expect(others == [] || others == ["require_pushed_authorization_requests"])
    }

    @Test func `RFC 9396 section 10 and RFC 9728 section 4, the metadata says which types and APIs there are`()
        async throws
    {
        let metadata = await (try ResourcefulServer.make()).get("/.well-known/oauth-authorization-server").json
        #expect(metadata["authorization_details_types_supported"] == ["payment", "files"])
        let resources = [ResourcefulServer.notes, ResourcefulServer.files, ResourcefulServer.vault]
        #expect(metadata["protected_resources"] == .strings(resources))
    }

    @Test func `RFC 8414 section 3, an issuer with a path has its endpoints below it`() async throws {
        let issuer = "https://example.com/tenant/1"
        let server = try await ServerUnderTest.inMemory { configuration in
            configuration.issuer = (try? URI(parsing: issuer)) ?? configuration.issuer
        }
        let metadata = await server.get("/.well-known/oauth-authorization-server/tenant/1")
        #expect(metadata.json["issuer"] == .string(issuer))
        #expect(metadata.json["token_endpoint"] == .string(issuer + "/token"))
        #expect(await server.get("/tenant/1/jwks").status == 200)
        #expect(await server.get("/jwks").status == 404)
        #expect(await server.get("/.well-known/oauth-authorization-server").status == 404)
    }

    @Test(arguments: ["/.well-known/oauth-authorization-server", "/jwks"])
    func `HEAD is GET, and POST is not`(path: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let (get, head) = (await server.get(path), await server.send(HTTPRequest(method: "HEAD", target: path)))
        #expect(get.status == head.status)
        #expect(get.fields["Content-Type"] == head.fields["Content-Type"])
        let post = await server.post(path, [:])
        #expect(post.status == 405)
        #expect(post.fields["Allow"] == "GET, HEAD")
    }

    @Test func `RFC 7517, the keys verify the access tokens and are public`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let response = await server.get("/jwks")
        let keys = try JWKSet(parsing: response.json)
        #expect(keys.keys.count == 1)
        #expect(keys.keys.first?.use == "sig" && keys.keys.first?.algorithm == .es256)
        #expect(!response.text.contains("\"d\""))
        let token = try CompactJWS(parsing: try await FakeClient(server).signIn().string("access_token"))
        #expect(token.header["kid"]?.stringValue == keys.keys.first?.keyID)
        try token.verify(with: try #require(keys.keys.first), allowing: [.es256])
    }

    @Test func `RFC 9068 section 2, what is in an access token`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let response = try await client.signIn()
        let token = try CompactJWS(parsing: try response.string("access_token"))
        let (claims, now) = (try token.payloadObject(), server.clock.now().secondsSince1970)
        #expect(token.header["typ"] == "at+jwt" && token.header["alg"] == "ES256")
        #expect(claims["iss"] == .string(ServerUnderTest.issuer))
        #expect(claims["aud"] == .string(ServerUnderTest.audience))
        #expect(claims["sub"] == "subject-of-ada" && claims["client_id"] == "app")
        #expect(claims["scope"] == "api:read")
        #expect(claims["iat"]?.integerValue == now && claims["exp"]?.integerValue == now + 300)
        #expect(claims["auth_time"]?.integerValue == now)
        #expect(claims["cnf"] == ["jkt": .string(client.thumbprint)])
        #expect(claims["jti"]?.stringValue?.utf8.count == 22)
    }

    @Test func `RFC 6749 section 5.1, what a token response holds, and that nobody keeps it`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let response = try await FakeClient(server).signIn()
        #expect(
            response.json.members.map(\.name).sorted() == [
                "access_token", "expires_in", "refresh_token", "scope", "token_type",
            ]
        )
        #expect(response.json["expires_in"]?.integerValue == 300)
        #expect(response.json["scope"] == "api:read" && response.json["token_type"] == "DPoP")
        #expect(try response.string("refresh_token").hasPrefix("kbr_"))
        #expect(response.fields.values(for: "Cache-Control") == ["no-store"])
        #expect(response.fields.values(for: "Pragma") == ["no-cache"])
        #expect(response.fields["Content-Type"] == "application/json")
        #expect(response.fields["X-Content-Type-Options"] == "nosniff")
        #expect(response.fields["Access-Control-Allow-Origin"] == nil)
    }

    @Test func `RFC 9126 section 2.2, what a pushed request is answered with`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let response = try await client.push(client.attempt())
        #expect(response.status == 201)
        #expect(response.json.members.map(\.name).sorted() == ["expires_in", "request_uri"])
        let handle = try response.string("request_uri").dropFirst("urn:ietf:params:oauth:request_uri:".count)
        #expect(handle.utf8.count == 48)
        #expect(response.fields.values(for: "Cache-Control") == ["no-store"])
    }

    @Test func `a request without scope gets all that the client is registered for`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", nil)
        let response = try await client.redeem(try await client.code(for: attempt), attempt)
        #expect(try response.string("scope") == "api:read api:write")
    }

    @Test func `a scope that does not exist any more is not given out`() async throws {
        let old = try ServerUnderTest.client(
            "old",
            redirectURIs: ["https://app.example.com/callback"],
            scope: "api:read api:removed"
        )
        let server = try await ServerUnderTest.inMemory(clients: [old])
        let client = FakeClient(server, clientID: "old", key: try TestKey.p256(2))
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "api:removed")
        expect(try await client.push(attempt), isError: "invalid_scope")
        attempt.parameters = attempt.parameters.with("scope", nil)
        let response = try await client.redeem(try await client.code(for: attempt), attempt)
        #expect(try response.string("scope") == "api:read")
    }

    @Test func `a client without any scope gets a token that says nothing of one`() async throws {
        let bare = try ServerUnderTest.client("bare", redirectURIs: ["https://app.example.com/callback"], scope: "")
        let server = try await ServerUnderTest.inMemory(clients: [bare])
        let client = FakeClient(server, clientID: "bare", key: try TestKey.p256(2))
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", nil)
        let response = try await client.redeem(try await client.code(for: attempt), attempt)
        #expect(response.status == 200 && response.json["scope"] == nil)
        let token = try CompactJWS(parsing: try response.string("access_token"))
        #expect(try token.payloadObject()["scope"] == nil)
    }

    @Test(arguments: [2048, 2049])
    func `a state of 2048 bytes is returned, a longer one rejected`(length: Int) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("state", String(repeating: "s", count: length))
        let response = try await client.push(attempt)
        if length == 2048 {
            #expect(response.status == 201)
        } else {
            expect(response, isError: "invalid_request")
        }
    }
}

/// A key that does not sign.
private struct BrokenKey: SigningKey {
    let working: SoftwareSigningKey
    var publicKey: JWK { working.publicKey }
    var algorithm: SignatureAlgorithm { working.algorithm }
    var protection: KeyProtection { working.protection }

    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        throw JOSEError(.signingFailed, "the device is gone")
    }
}

@Suite("What happens when something behind the server fails")
struct OutageTests {
    @Test func `a key that does not sign is a 503 that consumes nothing, and the operator is told`() async throws {
        let storage = MemoryAuthorizationStorage()
        let broken = try await ServerUnderTest.inMemory(
            storage: storage,
            signingKey: BrokenKey(working: try TestKey.p256(1))
        )
        let client = try FakeClient(broken)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let response = try await client.redeem(code, attempt)
        expect(response, isError: "server_error", status: 503)
        #expect(response.fields["Retry-After"] != nil)
        #expect(broken.reports.all.count == 1)

        let mended = try FakeClient(try await ServerUnderTest.inMemory(storage: storage))
        #expect(try await mended.redeem(code, attempt).status == 200)
    }

    @Test func `no room to hash a password is a 503 that counts no attempt`() async throws {
        // The time stands still: nobody waits for too long, however long the machine takes.
        let (gate, start) = (DispatchSemaphore(value: 0), ContinuousClock.now)
        let hasher = PasswordHasher.unprotected(
            entropy: SeededEntropy(),
            threads: 1,
            uptime: { start },
            derived: { gate.wait() }
        )
        let server = try await ServerUnderTest.inMemory(passwords: hasher)
        let (client, browser) = (try FakeClient(server), FakeBrowser(server))
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        try await withThrowingTaskGroup { group in
            for number in 0..<385 {
                let address = try #require(IPAddress(parsing: "192.0.\(number / 250).\(number % 250)"))
                group.addTask { _ = try await hasher.check("wrong", against: nil, from: .address(address)) }
            }
            while hasher.waitingCount < 384 { await Task.yield() }
            for _ in 0..<12 {
                let answer = try await browser.logIn(on: page)
                #expect(answer.status == 503)
                #expect(answer.fields["Retry-After"] == "2")
                #expect(answer.text.contains("busy"))
            }
            for _ in 0..<385 { gate.signal() }
            try await group.waitForAll()
        }
    }
}
