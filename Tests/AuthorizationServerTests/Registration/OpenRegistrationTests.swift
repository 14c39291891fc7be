// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Registration without a token: RFC 7591 sections 3 and 5", .overSocketsOnEveryStore)
struct OpenRegistrationTests {
    private static let redirectURI = "http://127.0.0.1/callback"

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

    private func register(
        at server: ServerUnderTest,
        _ metadata: JSONObject = [:],
        token: String? = nil
    ) async -> HTTPResponse {
        var object: JSONObject = [
            "redirect_uris": [.string(Self.redirectURI)], "token_endpoint_auth_method": "none", "client_name": "Agent",
            "grant_types": ["authorization_code", "refresh_token"],
        ]
        for member in metadata.members { object[member.name] = member.value }
        var request = HTTPRequest(
            method: "POST",
            target: "/register",
            fields: ["Content-Type": "application/json"],
            body: JSONValue.object(object).encoded()
        )
        if let token { request.fields["Authorization"] = "Bearer \(token)" }
        return await server.send(request)
    }

    @Test func `a client registers itself and signs somebody in, who is told and asked each time`() async throws {
        let server = try await server()
        let response = await register(at: server)
        #expect(response.status == 201, "\(response.text)")
        #expect(response.json["scope"] == "api:read" && response.json["dpop_bound_access_tokens"] == true)
        let clientID = try response.string("client_id")
        let key = try TestKey.p256(2)
        let client = FakeClient(server, clientID: clientID, redirectURI: Self.redirectURI, key: key)
        let browser = try await server.signedInBrowser()
        let page = try await browser.get(client.pushedTarget(client.attempt()))
        #expect(page.text.contains("registered itself here"))
        #expect(!page.text.contains("Do not ask me again"))
        #expect(try await client.signIn().status == 200)
    }

    @Test func `case 48: localhost is for native clients, which may listen on any port`() async throws {
        let server = try await server()
        let metadata: JSONObject = ["redirect_uris": ["http://localhost/callback"], "application_type": "native"]
        let response = await register(at: server, metadata)
        #expect(response.status == 201, "\(response.text)")
        let clientID = try response.string("client_id")
        let key = try TestKey.p256(2)
        for port in [5001, 49_152] {
            let address = "http://localhost:\(port)/callback"
            let client = FakeClient(server, clientID: clientID, redirectURI: address, key: key)
            #expect(try await client.signIn().status == 200)
        }
        for address in ["http://localhost:5001/other", "http://127.0.0.1:5001/callback", "https://localhost/callback"] {
            let client = FakeClient(server, clientID: clientID, redirectURI: address, key: key)
            expect(try await client.push(client.attempt()), isError: "invalid_request")
        }
        let web: JSONObject = ["redirect_uris": ["http://localhost/callback"], "application_type": "web"]
        expect(await register(at: server, web), isError: "invalid_redirect_uri")
    }

    @Test func `attack 144: registration is closed unless the operator opens it, and a wrong token does not open it`()
        async throws
    {
        let closed = try await ServerUnderTest.inMemory()
        expect(await register(at: closed), isError: "invalid_token", status: 401)
        let open = try await server()
        expect(await register(at: open, token: "kbi_wrong"), isError: "invalid_token", status: 401)
        #expect(await register(at: open).status == 201)
    }

    @Test func `RFC 6750 section 3.1, the challenge has an error only if there was a token`() async throws {
        let closed = try await ServerUnderTest.inMemory()
        #expect(await register(at: closed).fields["WWW-Authenticate"] == #"Bearer realm="registration""#)
        let wrong = await register(at: closed, token: "kbi_wrong")
        #expect(wrong.fields["WWW-Authenticate"] == #"Bearer error="invalid_token""#)
        var basic = HTTPRequest(method: "POST", target: "/register", fields: ["Content-Type": "application/json"])
        basic.fields["Authorization"] = "Basic YTpi"
        let open = try await server()
        for asked in [closed, open] {
            let response = await asked.send(basic)
            expect(response, isError: "invalid_token", status: 401)
            #expect(response.fields["WWW-Authenticate"] == #"Bearer realm="registration""#)
        }
    }

    @Test func `attack 145: an address registers a few clients, and others are not kept waiting`() async throws {
        let server = try await server { $0.rateLimits.registration = RateLimit(3, per: .seconds(3600)) }
        let attacker = server.seen(from: "198.51.100.7")
        for _ in 0..<3 { #expect(await register(at: attacker).status == 201) }
        let refused = await register(at: attacker)
        #expect(refused.status == 429)
        #expect(refused.fields["Retry-After"] != nil)
        #expect(await register(at: server.seen(from: "203.0.113.9")).status == 201)
        server.clock.advance(by: .seconds(3600))
        #expect(await register(at: attacker).status == 201)
    }

    @Test
    func `attack 146: a client that nobody knows gets the scope of the list, and no token that is bound to nothing`()
        async throws
    {
        let server = try await server { $0.requireDPoP = false }
        expect(await register(at: server, ["scope": "api:read api:write"]), isError: "invalid_client_metadata")
        expect(await register(at: server, ["dpop_bound_access_tokens": false]), isError: "invalid_client_metadata")
        expect(
            await register(at: server, ["grant_types": ["client_credentials"]]),
            isError: "invalid_client_metadata"
        )
        let bearer = try await self.server {
            $0.requireDPoP = false
            $0.unregisteredClients.allowsBearerTokens = true
        }
        let response = await register(at: bearer)
        #expect(response.json["dpop_bound_access_tokens"] == false)
        let bound = await register(at: bearer, ["dpop_bound_access_tokens": true])
        #expect(bound.json["dpop_bound_access_tokens"] == true)
        let client = FakeClient(
            bearer,
            clientID: try response.string("client_id"),
            redirectURI: Self.redirectURI,
            key: nil
        )
        #expect(try await client.signIn().json["token_type"] == "Bearer")
    }

    @Test func `a client that never got a token is forgotten after a day, one that did after its life`() async throws {
        let server = try await server()
        let unused = try await register(at: server).string("client_id")
        let used = try await register(at: server).string("client_id")
        let key = try TestKey.p256(2)
        let client = FakeClient(server, clientID: used, redirectURI: Self.redirectURI, key: key)
        let tokens = try await client.signIn()
        server.clock.advance(by: .seconds(86_400))
        _ = try await server.storage.deleteExpired(at: server.clock.now(), limit: 1000)
        #expect(try await server.storage.client(unused) == nil)
        #expect(try await client.refresh(tokens.string("refresh_token")).status == 200)
        server.clock.advance(by: .seconds(90 * 86_400))
        _ = try await server.storage.deleteExpired(at: server.clock.now(), limit: 1000)
        #expect(try await server.storage.client(used) == nil)
    }

    @Test func `a client may ask for more by step-up than it registered for, up to the list`() async throws {
        let both = try Scope(parsing: "api:read api:write")
        let server = try await server { $0.unregisteredClients.scope = both }
        let response = await register(at: server, ["scope": "api:read"])
        #expect(response.json["scope"] == "api:read api:write")
    }

    @Test func `clients with a token of the operator are kept`() async throws {
        let server = try await server()
        let administration = ServerAdministration(storage: server.storage, clock: server.clock, entropy: server.entropy)
        let token = try await administration.newRegistrationToken(uses: 1, lifetime: .seconds(60))
        let clientID = try await register(at: server, token: token.value).string("client_id")
        #expect(try await server.storage.client(clientID)?.expiresAt == nil)
    }
}
