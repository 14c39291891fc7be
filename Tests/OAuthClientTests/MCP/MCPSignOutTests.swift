// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import StrictJSON
import TestSupport
import Testing

@Suite("MCP: what a user who signs out for good leaves behind", .timeLimit(.minutes(1)))
struct MCPSignOutTests {
    private static let former = "former \(MCPWorld.issuer) client-1"
    private static let current = "client \(MCPWorld.issuer) http://127.0.0.1/callback"
    private static let revocation = MCPWorld.issuer + "/revoke"
    private static let request = HTTPRequest(target: MCPWorld.server)

    private let fixture = MCPFixture()
    private var world: MCPWorld { fixture.world }

    /// The authorization server gives clients that register from now on a secret, and its revocation endpoint is down.
    private func giveSecret(_ secret: String) async {
        await world.change { rules in
            rules.registrationMembers = ["client_secret": .string(secret), "client_secret_expires_at": 0]
            rules.answers[Self.revocation] = HTTPResponse(status: 500)
            rules.answers[MCPWorld.serverDocument] = MCPWorld.json(
                MCPWorld.metadata(
                    MCPWorld.issuer,
                    [
                        "revocation_endpoint": .string(Self.revocation),
                        "token_endpoint_auth_methods_supported": ["client_secret_post"],
                    ]
                )
            )
        }
    }

    /// The revocation endpoint works again.
    private func repair() async {
        await world.change { $0.answers[Self.revocation] = nil }
    }

    /// Signs in with the first secret; the tokens are lost, and whoever registers next gets another secret.
    private func signedInOnce() async throws -> MCPAuthorization {
        await giveSecret("s3cret")
        let authorization = try fixture.authorization()
        #expect(try await authorization.send(Self.request).status == 200)
        await giveSecret("n3w")
        await world.forgetTokens()
        return authorization
    }

    /// Signs in, and once more as another client: the tokens of the first could not be revoked, which needs its secret.
    private func signedInTwice() async throws -> MCPAuthorization {
        let authorization = try await signedInOnce()
        await world.change { $0.rejectedClients = ["client-1"] }
        #expect(try await authorization.send(Self.request).status == 200)
        let clients = await world.authorizations.map { $0["client_id"] }
        #expect(clients == ["client-1", "client-2"])
        #expect(await fixture.store.record(Self.former)?["client_secret"] == "s3cret")
        return authorization
    }

    /// Waits until the first secret is gone, with which the tokens were revoked.
    private func requireEnd() async throws {
        while await fixture.store.record(Self.former) != nil { try await Task.sleep(for: .milliseconds(1)) }
        let secrets = await world.revocations.filter { $0["client_id"] == "client-1" }.map { $0["client_secret"] }
        // The attempt of the sign-in before may have been late.
        #expect(!secrets.isEmpty && secrets.allSatisfy { $0 == "s3cret" })
    }

    @Test func `the secret of an earlier client goes with its tokens, without another sign-in`() async throws {
        let authorization = try await signedInTwice()
        await repair()
        try await authorization.session().signOut()
        try await requireEnd()
        // What is left to do is done as long as the app keeps it.
        withExtendedLifetime(authorization) {}
    }

    @Test func `or at the next start, if the server could not be told before`() async throws {
        let authorization = try await signedInTwice()
        try await authorization.session().signOut()
        #expect(await fixture.store.record(Self.former)?["client_secret"] == "s3cret")
        await repair()
        let restarted = try fixture.authorization(using: nil)
        #expect(await clientError { _ = try await restarted.session() }?.code == .sessionEnded)
        try await requireEnd()
        withExtendedLifetime(restarted) {}
    }

    /// Signs in, and registers again without signing in: the session stays that of the first client.
    private func signedInAndRegisteredTwice() async throws -> MCPAuthorization {
        let authorization = try await signedInOnce()
        await world.change { rules in
            rules.rejectsRefreshedTokens = true
            rules.lostClients = ["client-1", "client-2"]
        }
        for _ in 0..<2 {
            #expect(await clientError { _ = try await authorization.send(Self.request) }?.code == .timedOut)
        }
        #expect(await fixture.store.record(Self.former)?["client_secret"] == "s3cret")
        #expect(await fixture.store.record(Self.current)?["client_id"] == "client-2")
        return authorization
    }

    @Test func `the secret of the session goes with it, if another registration has taken its place`() async throws {
        let authorization = try await signedInAndRegisteredTwice()
        await repair()
        #expect(try await authorization.session().signOut().failure == nil)
        #expect(await fixture.store.record(Self.former) == nil)
        try await requireEnd()
        #expect(await fixture.store.record(Self.current)?["client_secret"] == "n3w")
    }

    @Test func `it stays as long as the server could not be told, which needs it`() async throws {
        let authorization = try await signedInAndRegisteredTwice()
        #expect(try await authorization.session().signOut().failure?.code == .serverUnavailable)
        #expect(await fixture.store.record(Self.former)?["client_secret"] == "s3cret")
        await repair()
        let restarted = try fixture.authorization(using: nil)
        #expect(await clientError { _ = try await restarted.session() }?.code == .sessionEnded)
        try await requireEnd()
        withExtendedLifetime(restarted) {}
    }

    @Test func `a session that ended by itself leaves its secret until the next start`() async throws {
        let authorization = try await signedInAndRegisteredTwice()
        await world.change { $0.rejectsRefresh = true }
        let session = try await authorization.session()
        #expect(await clientError { try await session.refresh() }?.code == .sessionEnded)
        #expect(await fixture.store.record(Self.former) != nil)
        let restarted = try fixture.authorization(using: nil)
        #expect(await clientError { _ = try await restarted.session() }?.code == .sessionEnded)
        #expect(await fixture.store.record(Self.former) == nil)
    }

    @Test func `the registration in use stays, for the next sign-in`() async throws {
        await giveSecret("s3cret")
        await repair()
        let authorization = try fixture.authorization()
        try await authorization.session().signOut()
        let record = try #require(await fixture.store.record(Self.current))
        #expect(record["client_secret"] == "s3cret" && record["keybound_sessions"] == [])
        _ = try await authorization.session()
        let clients = await world.authorizations.map { $0["client_id"] }
        #expect(clients == ["client-1", "client-1"])
        #expect(await fixture.store.record(Self.current)?["keybound_sessions"] == .strings([MCPWorld.server]))
    }

    /// The user signs in again before the server hears of the sign-out.
    private struct SlowRevocation: ClientTransport {
        let fixture: MCPFixture

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            if request.target == MCPSignOutTests.revocation { _ = try? await fixture.authorization().session() }
            return try await fixture.world.send(request, maximumBodySize: maximumBodySize)
        }
    }

    @Test func `a session that began while the server was told needs the registration`() async throws {
        await giveSecret("s3cret")
        await repair()
        // Its random values, and so the name of its session, are others than those of the fixture.
        let authorization = try MCPAuthorization(
            for: MCPWorld.server,
            as: MCPClientIdentity(name: "Agent"),
            using: MCPUser(world: world),
            store: fixture.store,
            tokenStore: fixture.tokenStore,
            transport: SlowRevocation(fixture: fixture),
            clock: FixedClock()
        )
        try await authorization.session().signOut()
        let clients = await world.authorizations.map { $0["client_id"] }
        #expect(clients == ["client-1", "client-1"])
        #expect(await fixture.store.record(Self.current)?["keybound_sessions"] == .strings([MCPWorld.server]))
    }
}
