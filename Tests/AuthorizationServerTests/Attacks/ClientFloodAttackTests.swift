// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStage
import ServerStorage
import TestSupport
import Testing

@Suite("Too much of one client, RFC 6585 section 4", .overSocketsOnEveryStore)
struct ClientFloodAttackTests {
    private static let wrongCode: FormParameters = [
        "grant_type": "authorization_code", "code": "kbc_guess", "redirect_uri": "https://app.example.com/callback",
        "code_verifier": "a-verifier-that-is-long-enough-for-every-check-of-it",
    ]

    private let events = RecordedEvents()

    /// The limits that were reached, and their clients.
    private var reachedLimits: [String] {
        events.all.filter { $0.kind == .limitReached }.map { "\($0.detail ?? "") \($0.clientID ?? "")" }
    }

    /// The requests that checks rejected.
    private var rejections: [String] {
        events.all.filter { $0.kind == .requestRejected }.compactMap(\.detail)
    }

    private func server() async throws -> ServerUnderTest {
        try await ServerUnderTest.inMemory(
            clients: [
                try ConfidentialClient.registration("basic", .clientSecretBasic) { $0.dpopBoundAccessTokens = false },
                try ConfidentialClient.registration("post", .clientSecretPost) { $0.dpopBoundAccessTokens = false },
                try ServerUnderTest.client("free", redirectURIs: ["https://app.example.com/callback"], isBound: false),
                try ServerUnderTest.client(
                    "free-2",
                    redirectURIs: ["https://app.example.com/callback"],
                    isBound: false
                ),
            ],
            audit: events
        ) {
            $0.requireDPoP = false
            $0.rateLimits.clientToken = RateLimit(4, per: .seconds(60))
            $0.rateLimits.clientAuthorizationRequest = RateLimit(3, per: .seconds(60))
            $0.rateLimits.publicClientToken = RateLimit(5, per: .seconds(60))
            $0.rateLimits.publicClientAuthorizationRequest = RateLimit(6, per: .seconds(60))
        }
    }

    private func expectLimited(_ response: HTTPResponse, after seconds: String) {
        expect(response, isError: "temporarily_unavailable", status: 429)
        #expect(response.fields["Retry-After"] == seconds)
    }

    @Test func `a client that guesses codes from many addresses has to wait, and others need not`() async throws {
        let server = try await server()
        let client = try ConfidentialClient(server, "basic")
        func guess(_ number: Int) async -> HTTPResponse {
            await server.seen(from: "198.51.100.\(number)").post("/token", Self.wrongCode, fields: client.basic)
        }
        for number in 0..<4 { expect(await guess(number), isError: "invalid_grant") }
        expectLimited(await guess(5), after: "15")
        let other = try ConfidentialClient(server, "post")
        let answer = await server.seen(from: "198.51.100.5").post(
            "/token",
            other.posted.adding("grant_type", "client_credentials")
        )
        #expect(answer.status == 200, "\(answer.text)")
        #expect(reachedLimits == ["token requests of a client basic"])
        #expect(!rejections.contains("CheckClientLimit"), "a limit is recorded once")
        // The limit recovers gradually, and a client that continues guessing must wait again.
        server.clock.advance(by: .seconds(15))
        expect(await guess(6), isError: "invalid_grant")
        expectLimited(await guess(6), after: "15")
        server.clock.advance(by: .seconds(60))
        for number in 0..<4 { expect(await guess(number), isError: "invalid_grant") }
        expectLimited(await guess(4), after: "15")
    }

    @Test func `token, revocation and introspection requests of a client count together`() async throws {
        let server = try await server()
        let client = try ConfidentialClient(server, "basic")
        for path in ["/revoke", "/introspect", "/revoke", "/introspect"] {
            // Without a token.
            expect(await server.post(path, [:], fields: client.basic), isError: "invalid_request")
        }
        for path in ["/revoke", "/introspect"] {
            expectLimited(await server.post(path, ["token": "kbr_unknown"], fields: client.basic), after: "15")
        }
        expectLimited(await server.post("/token", Self.wrongCode, fields: client.basic), after: "15")
    }

    @Test func `what is answered does not count`() async throws {
        let server = try await server()
        let client = try ConfidentialClient(server, "basic")
        for _ in 0..<12 {
            let credentials: FormParameters = ["grant_type": "client_credentials"]
            #expect(await server.post("/token", credentials, fields: client.basic).status == 200)
            #expect(await server.post("/revoke", ["token": "kbr_unknown"], fields: client.basic).status == 200)
            #expect(await client.introspect("kbr_unknown").status == 200)
        }
        #expect(reachedLimits.isEmpty)
    }

    @Test func `nobody locks out a client whose secret they do not have`() async throws {
        let server = try await server()
        let attacker = server.seen(from: "203.0.113.9")
        for number in 0..<20 {
            let fields = ConfidentialClient.basic("basic", "guess \(number)")
            expect(
                await attacker.post("/token", Self.wrongCode, fields: fields),
                isError: "invalid_client",
                status: 401
            )
            expect(await attacker.post("/par", [:], fields: fields), isError: "invalid_client", status: 401)
        }
        let client = try ConfidentialClient(server, "basic")
        // The client itself is not affected, even at the same address: it authenticates with its secret.
        expect(await attacker.post("/token", Self.wrongCode, fields: client.basic), isError: "invalid_grant")
        let push = FakeClient(attacker, clientID: "basic", key: nil).attempt().parameters
        #expect(await attacker.post("/par", push, fields: client.basic).status == 201)
        #expect(reachedLimits.isEmpty)
    }

    @Test func `a public client has to wait at the address where it guesses, and nowhere else`() async throws {
        let server = try await server()
        let (here, elsewhere) = (server.seen(from: "203.0.113.9"), server.seen(from: "198.51.100.7"))
        let guess = Self.wrongCode.adding("client_id", "free")
        for _ in 0..<5 { expect(await here.post("/token", guess), isError: "invalid_grant") }
        expectLimited(await here.post("/token", guess), after: "12")
        expectLimited(await here.post("/revoke", ["client_id": "free", "token": "x"]), after: "12")
        expect(await elsewhere.post("/token", guess), isError: "invalid_grant")
        // Another app at that address is not affected.
        expect(await here.post("/token", Self.wrongCode.adding("client_id", "free-2")), isError: "invalid_grant")
        server.clock.advance(by: .seconds(12))
        expect(await here.post("/token", guess), isError: "invalid_grant")
        #expect(Set(reachedLimits) == ["token requests of a client free"])
    }

    @Test func `pushed requests of a client are limited, of a public one at each address`() async throws {
        let server = try await server()
        let client = try ConfidentialClient(server, "basic")
        func push(_ clientID: String, from address: String, fields: HTTPFields = [:]) async -> HTTPResponse {
            let seen = server.seen(from: address)
            return await seen.post(
                "/par",
                FakeClient(seen, clientID: clientID, key: nil).attempt().parameters,
                fields: fields
            )
        }
        for number in 0..<3 {
            #expect(await push("basic", from: "198.51.100.\(number)", fields: client.basic).status == 201)
        }
        expectLimited(await push("basic", from: "198.51.100.9", fields: client.basic), after: "20")
        for _ in 0..<6 { #expect(await push("free", from: "203.0.113.9").status == 201) }
        expectLimited(await push("free", from: "203.0.113.9"), after: "10")
        #expect(await push("free", from: "203.0.113.10").status == 201)
        #expect(
            Set(reachedLimits) == [
                "authorization requests of a client basic", "authorization requests of a client free",
            ]
        )
    }

    @Test func `devices of a client count as pushed requests do`() async throws {
        let server = try await FakeDevice.server {
            $0.rateLimits.publicClientAuthorizationRequest = RateLimit(2, per: .seconds(60))
        }
        let here = server.seen(from: "203.0.113.9")
        let start: FormParameters = ["client_id": "tv", "scope": "api:read"]
        for _ in 0..<2 { #expect(await here.post("/device_authorization", start).status == 200) }
        expectLimited(await here.post("/device_authorization", start), after: "30")
        let radio: FormParameters = ["client_id": "radio", "scope": "api:read"]
        #expect(await here.post("/device_authorization", radio).status == 200)
    }

    @Test func `a device that asks whether somebody has answered does not use its client's limit up`() async throws {
        let server = try await FakeDevice.server {
            $0.rateLimits.publicClientToken = RateLimit(2, per: .seconds(3600))
        }
        let device = try await FakeDevice.start(server.seen(from: "203.0.113.9"))
        for _ in 0..<10 {
            expect(try await device.poll(), isError: "authorization_pending")
            server.clock.advance(by: .seconds(10))
        }
    }
}
