// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks on refresh tokens, RFC 6749 section 6 and RFC 9700 section 4.14", .overSocketsOnEveryStore)
struct RefreshAttackTests {
    /// A client after its sign-in, and its refresh token.
    private func signedIn(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> (client: FakeClient, token: String) {
        let client = try FakeClient(try await ServerUnderTest.inMemory(change))
        return (client, try await client.signIn().string("refresh_token"))
    }

    @Test func `attack 54, refresh_other_client`() async throws {
        let (client, token) = try await signedIn()
        let thief = try FakeClient.other(client.server)
        expect(try await thief.refresh(token), isError: "invalid_grant")
        // Not even with the right key.
        let stolen = client.refreshing(token).with("client_id", "other")
        expect(try await client.post("/token", stolen), isError: "invalid_grant")
        #expect(try await client.refresh(token).status == 200)
    }

    @Test(arguments: ["api:read api:write", "admin", "api:read  ", "api:READ"])
    func `attack 55, refresh_scope_widening`(scope: String) async throws {
        let (client, token) = try await signedIn()
        expect(
            try await client.post("/token", client.refreshing(token).with("scope", scope)),
            isError: "invalid_scope"
        )
        #expect(try await client.refresh(token).string("scope") == "api:read")
    }

    @Test func `a narrower scope is for the access token only`() async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "api:write api:read")
        let tokens = try await client.redeem(try await client.code(for: attempt), attempt)
        let narrow = try await client.post(
            "/token",
            client.refreshing(try tokens.string("refresh_token")).with("scope", "api:read")
        )
        #expect(try narrow.string("scope") == "api:read")
        let wide = try await client.refresh(try narrow.string("refresh_token"))
        #expect(try Set(wide.string("scope").split(separator: " ")) == ["api:read", "api:write"])
    }

    @Test func `attack 56, refresh_reuse_revokes_family`() async throws {
        let (client, first) = try await signedIn()
        let second = try await client.refresh(first).string("refresh_token")
        let third = try await client.refresh(second).string("refresh_token")
        // The successor of the first was used, so there is no grace period.
        expect(try await client.refresh(first), isError: "invalid_grant")
        expect(try await client.refresh(third), isError: "invalid_grant")
        #expect(client.server.reports.all.count == 1)
    }

    @Test func `attack 56, after the grace a reuse revokes the family`() async throws {
        let (client, first) = try await signedIn()
        let second = try await client.refresh(first).string("refresh_token")
        client.server.clock.advance(by: .seconds(31))
        expect(try await client.refresh(first), isError: "invalid_grant")
        expect(try await client.refresh(second), isError: "invalid_grant")
    }

    @Test func `attack 56, without grace a reuse revokes the family at once`() async throws {
        let (client, first) = try await signedIn { $0.lifetimes.refreshGrace = .zero }
        let second = try await client.refresh(first).string("refresh_token")
        expect(try await client.refresh(first), isError: "invalid_grant")
        expect(try await client.refresh(second), isError: "invalid_grant")
    }

    @Test func `within the grace the predecessor replaces its unused successor, and one is live`() async throws {
        let (client, first) = try await signedIn()
        let lost = try await client.refresh(first).string("refresh_token")
        client.server.clock.advance(by: .seconds(30))
        let second = try await client.refresh(first).string("refresh_token")
        let third = try await client.refresh(second).string("refresh_token")
        // A client that kept the lost response has two tokens: one of them is somebody else's.
        expect(try await client.refresh(lost), isError: "invalid_grant")
        expect(try await client.refresh(third), isError: "invalid_grant")
    }

    @Test func `case 50: a public client may refresh twice with one token, soon after, and ends its session later`()
        async throws
    {
        let (client, first) = try await signedIn()
        #expect(try await client.server.storage.client("app")?.isPublic == true)
        _ = try await client.refresh(first).string("refresh_token")
        let second = try await client.refresh(first).string("refresh_token")
        client.server.clock.advance(by: .seconds(31))
        expect(try await client.refresh(first), isError: "invalid_grant")
        // It was of the same session.
        expect(try await client.refresh(second), isError: "invalid_grant")
    }

    @Test func `attack 56, within the grace a predecessor is exchanged again twice, and the third time is reuse`()
        async throws
    {
        let (client, first) = try await signedIn()
        var last = ""
        for _ in 0...2 { last = try await client.refresh(first).string("refresh_token") }
        expect(try await client.refresh(first), isError: "invalid_grant")
        expect(try await client.refresh(last), isError: "invalid_grant")
        #expect(client.server.reports.all.count == 1)
    }

    @Test func `attack 56, a replaced token that comes back revokes the family`() async throws {
        let (client, first) = try await signedIn()
        let lost = try await client.refresh(first).string("refresh_token")
        let second = try await client.refresh(first).string("refresh_token")
        expect(try await client.refresh(lost), isError: "invalid_grant")
        expect(try await client.refresh(second), isError: "invalid_grant")
    }

    @Test func `attack 57, refresh_concurrent_rotation_one_winner`() async throws {
        let (client, token) = try await signedIn { $0.lifetimes.refreshGrace = .zero }
        let responses = try await race(64) { try await client.refresh(token) }
        #expect(responses.filter { $0.status == 200 }.count == 1)
        for response in responses where response.status == 200 {
            expect(try await client.refresh(try response.string("refresh_token")), isError: "invalid_grant")
        }
    }

    @Test func `attack 57, with a grace three of many win, and the others revoke what these got`() async throws {
        let (client, token) = try await signedIn()
        let responses = try await race(64) { try await client.refresh(token) }
        #expect(responses.filter { $0.status == 200 }.count == 3)
        for response in responses where response.status == 200 {
            expect(try await client.refresh(try response.string("refresh_token")), isError: "invalid_grant")
        }
    }

    @Test func `of three refreshes at once all get tokens, and one refresh token is live afterwards`() async throws {
        let (client, token) = try await signedIn()
        let responses = try await race(3) { try await client.refresh(token) }
        let tokens = try responses.map { try $0.string("refresh_token") }
        let (storage, now) = (client.server.storage, client.server.clock.now())
        var live = 0
        for token in tokens {
            let secret = try #require(GrantSecret(token, as: .refreshToken))
            live += try await storage.liveRefreshToken(secret, at: now) == nil ? 0 : 1
        }
        #expect(live == 1)
    }

    @Test func `attack 58, refresh_bound_other_key`() async throws {
        let (client, token) = try await signedIn()
        let thief = client.with(key: try TestKey.p256(9))
        expect(try await thief.refresh(token), isError: "invalid_grant")
        #expect(try await client.refresh(token).status == 200)
        // The grace period is for the same key only.
        expect(try await thief.refresh(token), isError: "invalid_grant")
    }

    @Test(arguments: [true, false])
    func `attack 59, refresh_bound_no_proof`(requiresDPoP: Bool) async throws {
        let loose = try ServerUnderTest.client(
            "loose",
            redirectURIs: ["https://app.example.com/callback"],
            isBound: false
        )
        let server = try await ServerUnderTest.inMemory(clients: [loose]) { $0.requireDPoP = requiresDPoP }
        let client = FakeClient(server, clientID: "loose", key: try TestKey.p256(2))
        let token = try await client.signIn().string("refresh_token")
        expect(try await client.with(key: nil).refresh(token), isError: "invalid_dpop_proof")
        #expect(try await client.refresh(token).status == 200)
    }

    /// At a server and for a client that need no proofs: only what the grant began with binds its tokens.
    @Test func `attack 60, refresh_bound_bearer_reissue`() async throws {
        let loose = try ServerUnderTest.client(
            "loose",
            redirectURIs: ["https://app.example.com/callback"],
            isBound: false
        )
        let server = try await ServerUnderTest.inMemory(clients: [loose]) { $0.requireDPoP = false }
        let client = FakeClient(server, clientID: "loose", key: try TestKey.p256(2))
        var token = try await client.signIn().string("refresh_token")
        for _ in 0..<2 {
            let rejected = try await client.with(key: nil).refresh(token)
            expect(rejected, isError: "invalid_dpop_proof")
            #expect(!rejected.text.contains("Bearer"))
            let response = try await client.refresh(token)
            #expect(try response.string("token_type") == "DPoP")
            let claims = try CompactJWS(parsing: try response.string("access_token")).payloadObject()
            #expect(claims["cnf"] == ["jkt": .string(client.thumbprint)])
            // The new refresh token is bound as the old one was.
            token = try response.string("refresh_token")
        }
    }

    @Test func `a refresh token ends when it is not used`() async throws {
        let (client, token) = try await signedIn()
        client.server.clock.advance(by: .seconds(30 * 86_400))
        client.nonce = nil
        expect(try await client.refresh(token), isError: "invalid_grant")
    }

    @Test func `a client without proofs gets bearer tokens where that is allowed, and no grace`() async throws {
        let loose = try ServerUnderTest.client(
            "loose",
            redirectURIs: ["https://app.example.com/callback"],
            isBound: false
        )
        let server = try await ServerUnderTest.inMemory(clients: [loose]) { $0.requireDPoP = false }
        let client = FakeClient(server, clientID: "loose", key: nil)
        let tokens = try await client.signIn()
        #expect(try tokens.string("token_type") == "Bearer")
        let claims = try CompactJWS(parsing: try tokens.string("access_token")).payloadObject()
        #expect(claims["cnf"] == nil)
        let first = try tokens.string("refresh_token")
        let second = try await client.refresh(first).string("refresh_token")
        expect(try await client.refresh(first), isError: "invalid_grant")
        expect(try await client.refresh(second), isError: "invalid_grant")
    }

    /// Runs the same request in many tasks at once.
    private func race(
        _ count: Int,
        _ request: @escaping @Sendable () async throws -> HTTPResponse
    ) async throws -> [HTTPResponse] {
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<count { group.addTask { @concurrent in try await request() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
