// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

@Suite("MCP: servers that share a registration, and its secret", .timeLimit(.minutes(1)))
struct MCPSharedRegistrationTests {
    private static let second = "https://second.example/mcp"
    private static let current = "client \(MCPWorld.issuer) http://127.0.0.1/callback"
    private static let former = "former \(MCPWorld.issuer) client-1"
    private static let request = HTTPRequest(target: MCPWorld.server)

    private let fixture = MCPFixture()
    private var world: MCPWorld { fixture.world }

    /// After the access token has expired.
    private static var later: FixedClock { FixedClock(secondsSince1970: 1_790_004_000) }

    private func clients() async -> [String?] { await world.authorizations.map { $0["client_id"] } }

    private func sessions(of key: String) async -> JSONValue? { await fixture.store.record(key)?["keybound_sessions"] }

    /// Two MCP servers name one authorization server, which gives clients that register from now on a secret.
    private func giveSecret(_ secret: String) async {
        await world.change { rules in
            rules.challenge = []
            rules.answers["https://second.example/.well-known/oauth-protected-resource/mcp"] = MCPWorld.json(
                MCPWorld.resource(["resource": .string(Self.second)])
            )
            rules.registrationMembers = ["client_secret": .string(secret), "client_secret_expires_at": 0]
            rules.answers[MCPWorld.serverDocument] = MCPWorld.json(
                MCPWorld.metadata(
                    MCPWorld.issuer,
                    ["token_endpoint_auth_methods_supported": ["client_secret_post"]]
                )
            )
        }
    }

    /// Signs in for both servers, as one client.
    ///
    /// - Returns: What signed in for the first.
    private func signedInForBoth() async throws -> MCPAuthorization {
        await giveSecret("s3cret")
        let first = try fixture.authorization()
        #expect(try await first.send(Self.request).status == 200)
        _ = try await fixture.authorization(Self.second).session()
        #expect(await clients() == ["client-1", "client-1"])
        return first
    }

    /// A sign-in for the first server gets no response, and the app registers again for the next one.
    private func becomeAnotherClient(_ first: MCPAuthorization) async throws {
        await world.change { rules in
            rules.rejectsRefreshedTokens = true
            rules.lostClients = ["client-1"]
        }
        await world.forgetTokens()
        #expect(await clientError { _ = try await first.send(Self.request) }?.code == .timedOut)
        await giveSecret("n3w")
        #expect(try await first.send(Self.request).status == 200)
        await world.change { rules in
            rules.rejectsRefreshedTokens = false
            rules.lostClients = []
        }
        #expect(await clients() == ["client-1", "client-1", "client-1", "client-2"])
    }

    /// Waits until the tokens are gone that the app had for the first server as its first client, and starts it again.
    private func restartWithoutFormerTokens() async throws {
        let account = ClientAccount(
            issuer: MCPWorld.issuer,
            clientID: "client-1",
            name: "default " + MCPWorld.server
        )
        while await fixture.tokenStore.tokens(of: account) != nil { try await Task.sleep(for: .milliseconds(1)) }
        _ = try await fixture.authorization().session()
    }

    /// The session for a server goes on after a restart, as the first client with its secret.
    private func requireSession(for server: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let restarted = try fixture.authorization(using: nil, server, clock: Self.later)
        let status = try await restarted.send(HTTPRequest(target: server)).status
        #expect(status == 200, sourceLocation: sourceLocation)
        let form = try #require(await world.tokenRequests.last, sourceLocation: sourceLocation)
        #expect(form["grant_type"] == "refresh_token", sourceLocation: sourceLocation)
        #expect(form["client_id"] == "client-1", sourceLocation: sourceLocation)
        #expect(form["client_secret"] == "s3cret", sourceLocation: sourceLocation)
    }

    @Test func `a secret stays as long as the session for another server needs it`() async throws {
        let first = try await signedInForBoth()
        #expect(await sessions(of: Self.current) == .strings([MCPWorld.server, Self.second]))
        try await becomeAnotherClient(first)
        try await restartWithoutFormerTokens()
        #expect(await sessions(of: Self.former) == .strings([Self.second]))
        #expect(await sessions(of: Self.current) == .strings([MCPWorld.server]))
        try await requireSession(for: Self.second)

        await world.forgetTokens()
        await world.change { $0.rejectsRefresh = true }
        let second = try fixture.authorization(using: MCPUser(world: world), Self.second, clock: Self.later)
        let request = HTTPRequest(target: Self.second)
        #expect(await clientError { _ = try await second.send(request) }?.code == .sessionEnded)
        #expect(try await second.send(request).status == 200)
        #expect(await clients().last == "client-2")
        #expect(await fixture.store.record(Self.former) == nil)
    }

    @Test func `sessions are noted at their start, if an older version has not done it`() async throws {
        _ = try await signedInForBoth()
        var record = try #require(await fixture.store.record(Self.current))
        record["keybound_sessions"] = nil
        await fixture.store.save(record, for: Self.current)
        _ = try await fixture.authorization(Self.second).session()
        #expect(await sessions(of: Self.current) == .strings([Self.second]))
        _ = try await fixture.authorization().session()
        #expect(await sessions(of: Self.current) == .strings([Self.second, MCPWorld.server]))
    }

    @Test func `the secret of a registration that an older version stored goes with the first session`() async throws {
        let first = try await signedInForBoth()
        var record = try #require(await fixture.store.record(Self.current))
        record["keybound_sessions"] = nil
        await fixture.store.save(record, for: Self.current)
        try await becomeAnotherClient(first)
        try await restartWithoutFormerTokens()
        #expect(await fixture.store.record(Self.former) == nil)
    }

    @Test func `a registration that an older version stored as unused is not kept`() async throws {
        await giveSecret("s3cret")
        await world.change { $0.lostClients = ["client-1"] }
        let authorization = try fixture.authorization()
        #expect(await clientError { _ = try await authorization.session() }?.code == .timedOut)
        var record = try #require(await fixture.store.record(Self.current))
        record["keybound_sessions"] = nil
        record["keybound_unused"] = true
        record["keybound_no_response"] = true
        await fixture.store.save(record, for: Self.current)
        _ = try await authorization.session()
        #expect(await clients() == ["client-1", "client-2"])
        #expect(await fixture.store.record(Self.former) == nil)
    }

    @Test func `a registration that another one replaces while its user signs in is kept`() async throws {
        await giveSecret("s3cret")
        let gate = Gate()
        let first = try fixture.authorization(using: SlowMCPUser(world: world, gate: gate))
        let signIn = Task { try await first.session() }
        try await gate.arrival()
        // Two that register at the same moment do not see each other's registration.
        await fixture.store.save(nil, for: Self.current)
        await giveSecret("n3w")
        _ = try await fixture.authorization(Self.second).session()
        await gate.open()
        _ = try await signIn.value
        #expect(await clients() == ["client-2", "client-1"])
        try await requireSession(for: MCPWorld.server)
    }

    @Test func `the sessions of a client that the server gives out once more stay noted`() async throws {
        let redirectURI = "http://127.0.0.1/callback"
        let registrations = MCPStoredRegistrations(for: redirectURI, in: fixture.store, clock: FixedClock())
        for (secret, sessions) in [("s3cret", []), ("n3w", [MCPWorld.server])] {
            let registration = try ClientRegistration(parsing: [
                "client_id": "client-1", "client_secret": .string(secret),
            ])
            let entry = MCPStoredRegistrations.Entry(
                registration: registration,
                redirectURI: redirectURI,
                sessions: []
            )
            try await registrations.save(entry, at: MCPWorld.issuer)
            #expect(await self.sessions(of: Self.current) == .strings(sessions))
            #expect(await fixture.store.record(Self.current)?["client_secret"] == .string(secret))
            try await registrations.noteSuccess(of: "client-1", at: MCPWorld.issuer, for: MCPWorld.server)
        }
        #expect(await fixture.store.record(Self.former) == nil)
    }

    @Test func `what is noted of sessions is bounded, and the oldest goes first`() throws {
        let registration = try ClientRegistration(parsing: ["client_id": "client-1", "client_secret": "s3cret"])
        var entry = MCPStoredRegistrations.Entry(registration: registration, redirectURI: "http://127.0.0.1/callback")
        #expect(!entry.isUnused)
        for number in 1...70 { entry.add("https://mcp.example/\(number)") }
        entry.add("https://mcp.example/70")
        #expect(entry.sessions == (7...70).map { "https://mcp.example/\($0)" })
        #expect(MCPStoredRegistrations.Entry(stored: entry.json)?.sessions == entry.sessions)
        let long = String(repeating: "a", count: 16_384)
        entry.add(long)
        #expect(entry.sessions == [long])
        entry.remove(long)
        #expect(entry.isUnused)
    }
}
