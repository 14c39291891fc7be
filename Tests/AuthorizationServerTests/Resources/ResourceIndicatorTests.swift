// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Resource indicators, RFC 8707")
struct ResourceIndicatorTests {
    private typealias Server = ResourcefulServer

    @Test func `case 47: without a resource, tokens are for the default one and have the scope that belongs to it`()
        async throws
    {
        let client = try Server.client(try await Server.make())
        let response = try await client.tokens(for: client.attempt(scope: nil))
        let claims = try response.accessTokenClaims()
        #expect(claims["aud"] == .string(Server.notes))
        #expect(claims["scope"] == "api:read openid profile")
    }

    @Test func `case 47: aud is what is asked for: both, then one at the token endpoint, then the other on refresh`()
        async throws
    {
        let client = try Server.client(try await Server.make())
        let both = [Server.notes, Server.files]
        let attempt = client.attempt(scope: "api:read files:read", resources: both)
        let first = try await client.tokens(for: attempt, resources: [Server.files])
        #expect(try first.accessTokenClaims()["aud"] == .string(Server.files))
        #expect(try first.accessTokenClaims()["scope"] == "files:read")
        #expect(first.json["scope"] == "files:read")
        let second = try await client.refresh(first.string("refresh_token"), resources: [Server.notes])
        #expect(try second.accessTokenClaims()["aud"] == .string(Server.notes))
        #expect(second.json["scope"] == "api:read")
        // What a token was narrowed to does not narrow the grant.
        let third = try await client.refresh(second.string("refresh_token"), resources: [])
        #expect(try third.accessTokenClaims()["aud"] == .strings(both))
        #expect(third.json["scope"] == "api:read files:read")
    }

    @Test(arguments: [
        "https://unknown.example.com", "https://files.example.com/", "https://FILES.example.com", "files", "#",
        "https://files.example.com#x",
    ])
    func `case 47: what is not known byte by byte is an invalid_target, at each endpoint`(resource: String) async throws
    {
        let server = try await Server.make()
        let client = try Server.client(server)
        let attempt = client.attempt(scope: "api:read", resources: [resource])
        expect(try await client.push(attempt), isError: "invalid_target")
        #expect(try await server.get(client.directTarget(attempt)).callback()["error"] == "invalid_target")
        let good = client.attempt(scope: "files:read", resources: [Server.files])
        let code = try await client.code(for: good)
        let exchange = client.exchange(code, good)
        expect(try await client.post("/token", exchange.naming([resource])), isError: "invalid_target")
        expect(try await client.post("/token", exchange.naming([Server.files, resource])), isError: "invalid_target")
        // Nothing was spent by that.
        let tokens = try await client.post("/token", exchange)
        let token = try tokens.string("refresh_token")
        expect(try await client.refresh(token, resources: [resource]), isError: "invalid_target")
        #expect(try await client.refresh(token, resources: [Server.files]).status == 200)
        let service = try ConfidentialClient(server, "service")
        let asked = FormParameters().naming([resource])
        expect(try await service.tokens(asked, fields: service.basic), isError: "invalid_target")
    }

    @Test func `a resource that was not granted is an invalid_target`() async throws {
        let client = try Server.client(try await Server.make())
        let attempt = client.attempt(scope: "files:read", resources: [Server.files])
        let code = try await client.code(for: attempt)
        for resource in [Server.notes, Server.vault] {
            let exchange = client.exchange(code, attempt).naming([resource])
            expect(try await client.post("/token", exchange), isError: "invalid_target")
        }
        let plain = client.attempt(scope: "api:read")
        let token = try await client.tokens(for: plain).string("refresh_token")
        expect(try await client.refresh(token, resources: [Server.files]), isError: "invalid_target")
    }

    @Test func `a scope of a resource that is not asked for is rejected, and left out when nobody asked for it`()
        async throws
    {
        let client = try Server.client(try await Server.make())
        let attempt = client.attempt(scope: "api:read files:read", resources: [Server.files])
        expect(try await client.push(attempt), isError: "invalid_scope")
        expect(try await client.push(client.attempt(scope: "files:read")), isError: "invalid_scope")
        let all = client.attempt(scope: nil, resources: [Server.files])
        let claims = try await client.tokens(for: all).accessTokenClaims()
        #expect(claims["scope"] == "files:read openid profile")
    }

    @Test func `resources whose tokens differ need a token each`() async throws {
        let client = try Server.client(try await Server.make())
        let all = [Server.files, Server.vault, Server.notes]
        let attempt = client.attempt(scope: "api:read files:read vault:open", resources: all)
        let code = try await client.code(for: attempt)
        let two = client.exchange(code, attempt).naming([Server.files, Server.vault])
        expect(try await client.post("/token", two), isError: "invalid_target")
        // Without a choice, or with all of them, it is the first and what is like it.
        let first = try await client.post("/token", client.exchange(code, attempt).naming(all.reversed()))
        #expect(try first.accessTokenClaims()["aud"] == .strings([Server.files, Server.notes]))
        let second = try await client.refresh(first.string("refresh_token"), resources: [Server.vault])
        #expect(try second.string("access_token").hasPrefix("kba_"))
        #expect(second.json["expires_in"] == 60 && second.json["scope"] == "vault:open")
    }

    @Test func `more than 16 resources are rejected, the same one twice is one, an empty one none`() async throws {
        let client = try Server.client(try await Server.make())
        let many = (0...16).map { _ in Server.files }
        expect(try await client.push(client.attempt(scope: nil, resources: many)), isError: "invalid_target")
        let twice = client.attempt(scope: nil, resources: ["", Server.files, Server.files])
        #expect(try await client.tokens(for: twice).accessTokenClaims()["aud"] == .string(Server.files))
        // Every other parameter may still occur once.
        var attempt = client.attempt()
        attempt.parameters.append("scope", "api:read")
        expect(try await client.push(attempt), isError: "invalid_request")
    }

    @Test func `a client that asks for itself gets what it asks for`() async throws {
        let server = try await Server.make()
        let service = try ConfidentialClient(server, "service")
        let asked = FormParameters().naming([Server.files, Server.notes])
        let claims = try await service.tokens(asked, fields: service.basic).accessTokenClaims()
        #expect(claims["aud"] == .strings([Server.files, Server.notes]))
        #expect(claims["scope"] == "api:read files:read")
        let narrow = asked.adding("scope", "files:read")
        #expect(try await service.tokens(narrow, fields: service.basic).json["scope"] == "files:read")
    }

    @Test func `an API that the operator took away is for nobody any more`() async throws {
        let storage = MemoryAuthorizationStorage()
        let before = try await Server.make(storage: storage)
        let client = try Server.client(before)
        let attempt = client.attempt(scope: "files:read", resources: [Server.files])
        let token = try await client.tokens(for: attempt).string("refresh_token")
        let after = try Server.client(try await Server.make(storage: storage) { $0.resources.removeFirst() })
        expect(try await after.refresh(token), isError: "invalid_target")
    }

    @Test func `tokens of an API are signed with what it takes, and with keys that are published`() async throws {
        let server = try await Server.make(idTokenKey: try TestKey.rsa()) { configuration in
            configuration.resources[0].signingAlgorithm = .rs256
        }
        let client = try Server.client(server)
        let attempt = client.attempt(scope: "files:read", resources: [Server.files])
        let token = try await client.tokens(for: attempt).string("access_token")
        let keys = try JWKSet(parsing: await server.get("/jwks").json)
        let validation = JWTValidation.accessToken(
            issuer: ServerUnderTest.issuer,
            audience: Server.files,
            algorithms: [.rs256]
        )
        #expect(try validation.validate(token, with: keys, at: server.clock.now()).string("client_id") == "rich")
        await #expect(throws: AuthorizationServerError.self) {
            try await Server.make { $0.resources[0].signingAlgorithm = .rs256 }
        }
    }

    @Test func `consent is for the resources too: another one is asked about anew`() async throws {
        let client = try Server.client(try await Server.make())
        let browser = try await client.server.signedInBrowser()
        let first = client.attempt(scope: "api:read")
        let page = await browser.get(try await client.pushedTarget(first))
        _ = try await browser.submit(page, ["decision": "allow", "remember": "yes"])
        let again = await browser.get(try await client.pushedTarget(client.attempt(scope: "api:read")))
        #expect(again.status == 303)
        let wider = client.attempt(scope: "api:read", resources: [Server.notes, Server.files])
        #expect(await browser.get(try await client.pushedTarget(wider)).status == 200)
    }
}
