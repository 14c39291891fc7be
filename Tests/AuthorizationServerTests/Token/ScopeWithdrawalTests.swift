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

@Suite("A scope that an operator takes away is gone from what was granted before", .overSocketsOnEveryStore)
struct ScopeWithdrawalTests {
    /// Leaves a client only this scope, as `client set --scope` does it.
    private static func leave(_ scope: String, _ clientID: String, _ server: ServerUnderTest) async throws {
        var client = try #require(try await server.storage.client(clientID))
        client.scope = try Scope(parsing: scope)
        #expect(try await server.storage.replace(client, by: WriteAttempt(entropy: server.entropy)))
    }

    private static func tokens(_ client: FakeClient) async throws -> HTTPResponse {
        try await ExchangeClient.personsToken(client.server)
    }

    @Test func `attack 148, scope_withdrawn_lives_on: a refresh token gives what is left`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let first = try await Self.tokens(client).string("refresh_token")
        try await Self.leave("api:read", "app", server)
        let cut = try await client.refresh(first)
        #expect(cut.status == 200 && cut.json["scope"] == "api:read", "\(cut.text)")
        #expect(try cut.claims()["scope"] == "api:read")
        let named = client.refreshing(try cut.string("refresh_token")).with("scope", "api:read api:write")
        let asked = try await client.post("/token", named)
        #expect(asked.status == 200 && asked.json["scope"] == "api:read", "\(asked.text)")
        try await Self.leave("api:read api:write", "app", server)
        let whole = try await client.refresh(asked.string("refresh_token"))
        #expect(try whole.claims()["scope"] == "api:read api:write", "\(whole.text)")
    }

    @Test func `if nothing is left, there is no token, and the refresh token stays`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let token = try await Self.tokens(client).string("refresh_token")
        try await Self.leave("", "app", server)
        expect(try await client.refresh(token), isError: "invalid_scope")
        try await Self.leave("api:write", "app", server)
        #expect(try await client.refresh(token).json["scope"] == "api:write")
    }

    @Test func `a code that waits gives what is left`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("scope", "api:read api:write")
        let code = try await client.code(for: attempt)
        try await Self.leave("api:write", "app", server)
        let response = try await client.redeem(code, attempt)
        #expect(response.status == 200 && response.json["scope"] == "api:write", "\(response.text)")
    }

    @Test func `a device gets what is left of what a person allowed`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        try await device.decide("allow")
        try await Self.leave("api:write", "tv", server)
        expect(try await device.poll(), isError: "invalid_scope")
    }

    @Test func `a token that was exchanged has what the exchanging client may have`() async throws {
        let server = try await ExchangeClient.server()
        let backend = try ExchangeClient(server)
        let token = try await ExchangeClient.personsToken(server).string("access_token")
        try await Self.leave("api:write", "backend", server)
        let response = try await backend.exchange(token)
        #expect(response.status == 200 && response.json["scope"] == "api:write", "\(response.text)")
        try await Self.leave("", "backend", server)
        #expect(try await backend.exchange(token).claims()["scope"] == nil)
    }
}

@Suite("A scope that the server no longer has is gone from what was granted before")
struct ServerScopeWithdrawalTests {
    @Test func `after a restart without it, a refresh token gives the rest`() async throws {
        let storage = MemoryAuthorizationStorage()
        let server = try await ServerUnderTest.inMemory(storage: storage)
        let token = try await ExchangeClient.personsToken(server).string("refresh_token")
        let restarted = try await ServerUnderTest.inMemory(storage: storage, entropy: server.entropy) {
            $0.scopes.removeAll { $0.name == "api:write" }
        }
        let response = try await FakeClient(restarted).refresh(token)
        #expect(response.status == 200 && response.json["scope"] == "api:read", "\(response.text)")
        let gone = try await ServerUnderTest.inMemory(storage: storage, entropy: server.entropy) { $0.scopes = [] }
        expect(try await FakeClient(gone).refresh(response.string("refresh_token")), isError: "invalid_scope")
    }
}
