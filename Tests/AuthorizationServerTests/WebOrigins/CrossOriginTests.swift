// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthCore
import ServerStage
import ServerStorage
import TestSupport
import Testing

@Suite("Fetch standard, CORS protocol: scripts of registered origins, and of no others", .overSocketsOnEveryStore)
struct CrossOriginTests {
    private static let origin = "https://page.example"
    private static let other = "https://second.example"
    private static let stranger = "https://evil.example"
    static let endpoints = ["/token", "/par", "/revoke", "/userinfo", "/register", "/device_authorization"]
    private static let pages = [
        "/authorize", "/login", "/consent", "/device", "/logout", "/logout/confirm", "/introspect",
    ]

    private static func server() async throws -> ServerUnderTest {
        var page = try ServerUnderTest.client(
            "page",
            redirectURIs: ["https://page.example/callback"],
            scope: OpenIDServer.scope
        )
        page.allowedWebOrigins = [origin]
        var second = try ServerUnderTest.client("second", redirectURIs: ["https://second.example/callback"])
        second.allowedWebOrigins = [other]
        return try await .inMemory(clients: [page, second], idTokenKey: try TestKey.rsa()) {
            $0.scopes += [ScopeDescription(name: "openid"), ScopeDescription(name: "profile")]
            $0.rateLimits.token = RateLimit(3, per: .seconds(60)) ?? $0.rateLimits.token
        }
    }

    private static func client(_ server: ServerUnderTest) throws -> FakeClient {
        FakeClient(server, clientID: "page", redirectURI: "https://page.example/callback", key: try TestKey.p256(2))
    }

    private static func preflight(_ path: String, _ origin: String, _ server: ServerUnderTest) async -> HTTPResponse {
        await server.send(
            HTTPRequest(
                method: "OPTIONS",
                target: path,
                fields: [
                    "Origin": origin, "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "content-type,dpop",
                ]
            )
        )
    }

    private static func grants(_ response: HTTPResponse) -> [String] {
        response.fields.all.filter { $0.name.lowercased().hasPrefix("access-control-") }.map(\.name)
    }

    @Test(arguments: endpoints)
    func `a preflight request of a registered origin is answered with what it may send`(path: String) async throws {
        let response = await Self.preflight(path, Self.origin, try await Self.server())
        #expect(response.status == 204 && response.body.isEmpty)
        #expect(response.fields["Access-Control-Allow-Origin"] == Self.origin)
        #expect(response.fields["Access-Control-Allow-Methods"] == (path == "/userinfo" ? "GET, HEAD, POST" : "POST"))
        // The Fetch standard has no `*` for `Authorization`.
        #expect(response.fields["Access-Control-Allow-Headers"] == "Authorization, Content-Type, DPoP")
        #expect(response.fields["Access-Control-Max-Age"] == "600")
        #expect(response.fields["Vary"] == "Origin")
        #expect(response.fields["Access-Control-Allow-Credentials"] == nil)
    }

    @Test(arguments: endpoints)
    func `any other origin is told nothing`(path: String) async throws {
        let server = try await Self.server()
        for origin in [
            Self.stranger, "null", "", Self.origin + "/", "HTTPS://page.example", String(repeating: "a", count: 300),
        ] {
            let response = await Self.preflight(path, origin, server)
            #expect(response.status == 403)
            #expect(Self.grants(response).isEmpty)
        }
        let twice = await server.send(
            HTTPRequest(
                method: "OPTIONS",
                target: path,
                fields: ["Origin": Self.origin, "origin": Self.origin, "Access-Control-Request-Method": "POST"]
            )
        )
        #expect(Self.grants(twice).isEmpty)
        // Without the field of a preflight request it is a method that the address does not take.
        #expect(
            await server.send(HTTPRequest(method: "OPTIONS", target: path, fields: ["Origin": Self.origin])).status
                == 405
        )
    }

    @Test(arguments: pages)
    func `pages, and introspection, are for no script`(path: String) async throws {
        let response = await Self.preflight(path, Self.origin, try await Self.server())
        #expect(response.status == 405)
        #expect(Self.grants(response).isEmpty)
    }

    @Test func `an app of one page signs in, and reads nonces and errors`() async throws {
        let server = try await Self.server()
        let client = try Self.client(server.seen(from: "192.0.2.1"))
        let fields: HTTPFields = ["Origin": Self.origin]
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "openid api:read")
        let code = try await client.code(for: attempt)
        let tokens = try await client.post("/token", client.exchange(code, attempt), fields: fields)
        #expect(tokens.status == 200, "\(tokens.text)")
        #expect(tokens.fields["Access-Control-Allow-Origin"] == Self.origin)
        let exposed = tokens.fields["Access-Control-Expose-Headers"] ?? ""
        #expect(exposed == "DPoP-Nonce, WWW-Authenticate, Retry-After, X-Request-Id")
        #expect(tokens.fields["Vary"] == "Origin")
        let wrong: FormParameters = ["grant_type": "refresh_token", "client_id": "page", "refresh_token": "x"]
        var statuses: Set<Int> = []
        for _ in 1...10 {
            let response = try await client.post("/token", wrong, fields: fields)
            statuses.insert(response.status)
            #expect(response.fields["Access-Control-Allow-Origin"] == Self.origin)
        }
        #expect(statuses == [400, 429])
        let userInfo = await server.send(HTTPRequest(target: "/userinfo", fields: fields))
        #expect(userInfo.status == 401)
        #expect(userInfo.fields["Access-Control-Allow-Origin"] == Self.origin)
    }

    @Test func `a script acts only as a client of its own origin, and uses nothing up`() async throws {
        let server = try await Self.server()
        let client = try Self.client(server)
        let tokens = try await client.signIn()
        let refresh: FormParameters = [
            "grant_type": "refresh_token", "client_id": "page", "refresh_token": try tokens.string("refresh_token"),
        ]
        let refused = try await client.post("/token", refresh, fields: ["Origin": Self.other])
        #expect(refused.status == 403)
        #expect(refused.error == "invalid_request")
        let push = try await client.post("/par", client.attempt().parameters, fields: ["Origin": Self.other])
        #expect(push.status == 403)
        // An origin that nobody has is no origin: the response is for no script, and programs may send what they like.
        let stranger = try await client.post("/token", refresh, fields: ["Origin": Self.stranger])
        #expect(stranger.status == 200, "\(stranger.text)")
        #expect(Self.grants(stranger).isEmpty)
    }

    @Test func `userinfo looks at the client of the token`() async throws {
        let server = try await Self.server()
        let client = try Self.client(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "openid")
        let tokens = try await client.redeem(try await client.code(for: attempt), attempt)
        let token = try tokens.string("access_token")
        for (origin, status) in [(Self.other, 403), (Self.origin, 200), (Self.stranger, 200)] {
            let response = try await client.userInfo(token, fields: ["Origin": origin])
            #expect(response.status == status, "\(origin): \(response.text)")
            #expect(response.fields["Access-Control-Allow-Origin"] == (origin == Self.stranger ? nil : origin))
        }
    }

    @Test func `metadata and keys stay for everybody`() async throws {
        let server = try await Self.server()
        for path in ["/.well-known/oauth-authorization-server", "/jwks"] {
            let response = await server.send(HTTPRequest(target: path, fields: ["Origin": Self.stranger]))
            #expect(response.fields["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test(arguments: [
        "https://app.example/", "https://app.example/x", "HTTPS://app.example", "https://APP.example",
        "https://app.example:443",
        "http://app.example", "http://10.0.0.1", "null", "*", "app.example", "https://*.example",
        "https://u@app.example", "",
    ])
    func `what is no origin as browsers send it is not registered`(origin: String) async throws {
        let administration = ServerAdministration(
            storage: MemoryAuthorizationStorage(),
            clock: FixedClock(),
            entropy: SeededEntropy()
        )
        var client = try ServerUnderTest.client("c", redirectURIs: ["https://app.example/callback"])
        client.allowedWebOrigins = [origin]
        await #expect {
            try await administration.addClient(client)
        } throws: {
            ($0 as? AuthorizationServerError)?.code == .invalidValue
        }
        client.allowedWebOrigins = [
            "https://app.example", "https://app.example:8443", "http://127.0.0.1:8000", "http://[::1]",
            "http://localhost:3000",
        ]
        try await administration.addClient(client)
    }
}
