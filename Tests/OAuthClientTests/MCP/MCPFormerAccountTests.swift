// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

@Suite("RFC 9700 section 4.14: tokens of an earlier client for the same MCP server", .timeLimit(.minutes(1)))
struct MCPFormerAccountTests {
    private let fixture = MCPFixture()
    private var world: MCPWorld { fixture.world }
    private static let request = HTTPRequest(target: MCPWorld.server)
    private static let other = "https://other.example"

    private static func account(_ issuer: String, _ clientID: String) -> ClientAccount {
        ClientAccount(issuer: issuer, clientID: clientID, name: "default " + MCPWorld.server)
    }

    /// Signs in, at a server that can revoke tokens.
    private func signedIn(authenticatingBy method: String = "none") async throws -> MCPAuthorization {
        await world.change { rules in
            rules.answers[MCPWorld.serverDocument] = MCPWorld.json(
                MCPWorld.metadata(
                    MCPWorld.issuer,
                    [
                        "revocation_endpoint": .string(MCPWorld.issuer + "/revoke"),
                        "token_endpoint_auth_methods_supported": .strings([method]),
                    ]
                )
            )
        }
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        await world.forgetTokens()
        return authorization
    }

    /// Waits until the tokens of the first sign-in are revoked and deleted.
    private func requireEnd() async throws {
        while await fixture.tokenStore.tokens(of: Self.account(MCPWorld.issuer, "client-1")) != nil {
            try await Task.sleep(for: .milliseconds(1))
        }
        let revocations = await world.revocations
        #expect(revocations.count == 1)
        #expect(revocations.first?["client_id"] == "client-1")
        #expect(revocations.first?["token"]?.hasPrefix("rt-") == true)
    }

    @Test func `those of a client that registered anew are revoked and deleted, and a restart looks once more`()
        async throws
    {
        let authorization = try await signedIn()
        await world.change { $0.rejectedClients = ["client-1"] }
        let first = try await authorization.session()
        #expect(try await authorization.send(Self.request).status == 200)
        try await requireEnd()
        #expect(await fixture.tokenStore.tokens(of: Self.account(MCPWorld.issuer, "client-2")) != nil)
        #expect(await clientError { try await first.refresh() } != nil)
        let key = "server " + MCPWorld.server
        #expect(await fixture.store.record(key)?["former"]?.arrayValue?.count == 1)
        _ = try await fixture.authorization().session()
        let record = try #require(await fixture.store.record(key))
        #expect(record["former"] == nil && record["client_id"] == "client-2")
        let count = await world.authorizations.count
        #expect(count == 2)
    }

    @Test func `those of a client with a secret are revoked with its secret, which is then deleted`() async throws {
        await world.change { $0.registrationMembers = ["client_secret": "s3cret", "client_secret_expires_at": 0] }
        let authorization = try await signedIn(authenticatingBy: "client_secret_post")
        await world.change { rules in
            rules.rejectedClients = ["client-1"]
            rules.registrationMembers = ["client_secret": "n3w", "client_secret_expires_at": 0]
        }
        #expect(try await authorization.send(Self.request).status == 200)
        try await requireEnd()
        let secrets = await world.revocations.map { $0["client_secret"] }
        #expect(secrets == ["s3cret"])
        let key = "former \(MCPWorld.issuer) client-1"
        while await fixture.store.record(key) != nil { try await Task.sleep(for: .milliseconds(1)) }
        _ = try await fixture.authorization().session()
        #expect(await fixture.store.record("server " + MCPWorld.server)?["former"] == nil)
    }

    @Test func `so are those at an authorization server that the MCP server has left`() async throws {
        let authorization = try await signedIn()
        let other = Self.other
        await world.change { rules in
            rules.rejectsRefreshedTokens = true
            rules.callbackIssuer = other
            rules.answers[MCPWorld.pathDocument] = MCPWorld.json(
                MCPWorld.resource(["authorization_servers": [.string(other)]])
            )
            rules.answers[other + "/.well-known/oauth-authorization-server"] = MCPWorld.json(MCPWorld.metadata(other))
        }
        #expect(try await authorization.send(Self.request).status == 200)
        try await requireEnd()
        #expect(await fixture.tokenStore.tokens(of: Self.account(other, "client-2")) != nil)
        let asked = await world.asked
        #expect(asked.contains(MCPWorld.issuer + "/revoke") && !asked.contains(other + "/revoke"))
    }

    @Test func `a second sign-in of the same client ends no account`() async throws {
        let authorization = try await signedIn()
        await world.change { $0.rejectsRefreshedTokens = true }
        #expect(try await authorization.send(Self.request).status == 200)
        let record = try #require(await fixture.store.record("server " + MCPWorld.server))
        #expect(record["former"] == nil)
        #expect(await fixture.tokenStore.tokens(of: Self.account(MCPWorld.issuer, "client-1")) != nil)
    }

    private func isLeft(_ number: Int) async -> Bool {
        let tokens = await fixture.tokenStore.tokens(of: Self.account(MCPWorld.issuer, "client-\(number)"))
        let registration = await fixture.store.record("former \(MCPWorld.issuer) client-\(number)")
        // The secret is of use as long as there are tokens, and no longer.
        #expect((tokens == nil) == (registration == nil), "\(number)")
        return tokens != nil
    }

    @Test func `eight wait for a server that cannot be told, and of older ones nothing stays on the device`()
        async throws
    {
        await world.change { rules in
            rules.registrationMembers = ["client_secret": "s3cret", "client_secret_expires_at": 0]
            rules.answers[MCPWorld.issuer + "/revoke"] = HTTPResponse(status: 500)
        }
        let authorization = try await signedIn(authenticatingBy: "client_secret_post")
        for number in 1...10 {
            await world.change { $0.rejectedClients.insert("client-\(number)") }
            #expect(try await authorization.send(Self.request).status == 200)
            await world.forgetTokens()
        }
        for number in 1...10 {
            let isLeft = await isLeft(number)
            #expect(isLeft == (number > 2), "\(number)")
        }
        let key = "server " + MCPWorld.server
        let kept = try #require(await fixture.store.record(key)?["former"]?.arrayValue)
        #expect(kept.map { $0.objectValue?["client_id"]?.stringValue } == (3...10).map { "client-\($0)" })

        await world.change { $0.answers[MCPWorld.issuer + "/revoke"] = nil }
        _ = try await fixture.authorization().session()
        for number in 3...10 {
            let registration = "former \(MCPWorld.issuer) client-\(number)"
            while await fixture.store.record(registration) != nil { try await Task.sleep(for: .milliseconds(1)) }
            #expect(await !isLeft(number))
        }
        let revoked = await Set(world.revocations.compactMap { $0["client_id"] })
        #expect(revoked.isSuperset(of: (3...10).map { "client-\($0)" }))
    }
}
