// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("MCP: an authorization server that does not know its client any more", .timeLimit(.minutes(1)))
struct MCPForgottenClientTests {
    private let fixture = MCPFixture()
    private var world: MCPWorld { fixture.world }
    private static let request = HTTPRequest(target: MCPWorld.server)

    /// After the access token has expired.
    private static var later: FixedClock { FixedClock(secondsSince1970: 1_790_004_000) }

    private func authorization(
        _ identity: MCPClientIdentity = MCPClientIdentity(name: "Agent"),
        clock: FixedClock = FixedClock()
    ) throws -> MCPAuthorization {
        try fixture.authorization(using: MCPUser(world: world), MCPWorld.server, identity, clock: clock)
    }

    private func clients() async -> [String?] { await world.authorizations.map { $0["client_id"] } }

    @Test func `RFC 6749 section 5.2: a client that registered itself does so again, and the user signs in`()
        async throws
    {
        let authorization = try authorization()
        _ = try await authorization.session()
        await world.forgetTokens()
        await world.change { $0.rejectedClients = ["client-1"] }
        #expect(try await authorization.send(Self.request).status == 200)
        #expect(await clients() == ["client-1", "client-2"])
        // The new session is the one that is stored.
        let restarted = try fixture.authorization(MCPWorld.server, MCPClientIdentity(name: "Agent"), hasUser: false)
        #expect(try await restarted.send(Self.request).status == 200)
    }

    @Test func `also after a restart, in a call of its own or in one of the session`() async throws {
        for isDirect in [false, true] {
            let tests = MCPForgottenClientTests()
            _ = try await tests.authorization().session()
            await tests.world.change { $0.rejectedClients = ["client-1"] }
            let restarted = try tests.authorization(clock: Self.later)
            if isDirect {
                let session = try await restarted.session()
                #expect(await clientError { try await session.refresh() }?.answer?.error == .invalidClient)
                let next = try await restarted.session()
                #expect(next !== session)
            } else {
                #expect(try await restarted.send(Self.request).status == 200)
            }
            #expect(await tests.clients() == ["client-1", "client-2"])
        }
    }

    @Test func `a client that cannot register again keeps its session: the server may know it again`() async throws {
        let authorization = try authorization()
        _ = try await authorization.session()
        await world.forgetTokens()
        await world.change { rules in
            rules.rejectedClients = ["client-1"]
            rules.answers[MCPWorld.issuer + "/register"] = HTTPResponse(status: 503)
        }
        #expect(await clientError { _ = try await authorization.send(Self.request) }?.code == .serverUnavailable)
        await world.change { $0.rejectedClients = [] }
        let restarted = try fixture.authorization(using: nil, clock: Self.later)
        #expect(try await restarted.send(Self.request).status == 200)
        #expect(await clients() == ["client-1"])
    }

    @Test func `a user who does not sign in again keeps the session of a public client`() async throws {
        let authorization = try authorization()
        _ = try await authorization.session()
        await world.forgetTokens()
        await world.change { rules in
            rules.rejectedClients = ["client-1"]
            rules.callbackError = "access_denied"
        }
        #expect(await clientError { _ = try await authorization.send(Self.request) }?.code == .authorizationRejected)
        #expect(await clients() == ["client-1", "client-2"])
        await world.change { $0.rejectedClients = [] }
        let restarted = try fixture.authorization(using: nil, clock: Self.later)
        #expect(try await restarted.send(Self.request).status == 200)
        let form = try #require(await world.tokenRequests.last)
        #expect(form["client_id"] == "client-1" && form["grant_type"] == "refresh_token")
    }

    @Test func `a public client keeps its session when the app asks for another redirect URI`() async throws {
        _ = try await authorization().session()
        let changed = MCPClientIdentity(name: "Agent", redirectURI: "http://localhost/callback")
        let restarted = try fixture.authorization(using: nil, MCPWorld.server, changed, clock: Self.later)
        #expect(try await restarted.send(Self.request).status == 200)
        #expect(await clients() == ["client-1"])

        let key = "server " + MCPWorld.server
        var record = try #require(await fixture.store.record(key))
        #expect(record["client_auth_method"] == "none")
        record["client_auth_method"] = nil
        await fixture.store.save(record, for: key)
        let older = try fixture.authorization(using: nil, clock: Self.later)
        _ = try await older.session()
        let olderAndChanged = try fixture.authorization(using: nil, MCPWorld.server, changed, clock: Self.later)
        #expect(await clientError { _ = try await olderAndChanged.session() }?.code == .sessionEnded)
    }

    /// Signs in and out, and meets the error page of a server that has lost the client.
    private func signInAtErrorPage() async throws -> MCPAuthorization {
        let authorization = try authorization()
        try await authorization.session().signOut()
        await world.change { $0.lostClients = ["client-1"] }
        #expect(await clientError { _ = try await authorization.session() }?.code == .timedOut)
        return authorization
    }

    @Test(arguments: [true, false])
    func `RFC 6749 section 4.1.2.1: after a sign-in that ended at an error page the app registers again`(
        _ isRestarted: Bool
    ) async throws {
        let authorization = try await signInAtErrorPage()
        let next = try isRestarted ? self.authorization() : authorization
        #expect(try await next.send(Self.request).status == 200)
        #expect(await clients() == ["client-1", "client-1", "client-2"])
    }

    @Test func `an app that cannot register again stays the client that it was: the user may only have gone away`()
        async throws
    {
        let authorization = try await signInAtErrorPage()
        await world.change { rules in
            rules.lostClients = []
            rules.answers[MCPWorld.issuer + "/register"] = HTTPResponse(status: 403)
        }
        #expect(try await authorization.send(Self.request).status == 200)
        #expect(await clients() == ["client-1", "client-1", "client-1"])
    }

    @Test func `a sign-in that succeeds shows that the server knows the client: the next one does not register again`()
        async throws
    {
        let authorization = try await signInAtErrorPage()
        await world.change { rules in
            rules.lostClients = []
            rules.answers[MCPWorld.issuer + "/register"] = HTTPResponse(status: 403)
        }
        try await authorization.session().signOut()
        await world.change { $0.answers[MCPWorld.issuer + "/register"] = nil }
        #expect(try await authorization.send(Self.request).status == 200)
        #expect(await clients() == ["client-1", "client-1", "client-1", "client-1"])
    }

    @Test func `a sign-in without a response ends no session of the client`() async throws {
        await world.change { $0.rejectsRefreshedTokens = true }
        let authorization = try authorization()
        _ = try await authorization.session()
        await world.forgetTokens()
        await world.change { $0.lostClients = ["client-1"] }
        #expect(await clientError { _ = try await authorization.send(Self.request) }?.code == .timedOut)
        await world.change { $0.rejectsRefreshedTokens = false }
        let restarted = try fixture.authorization(using: nil, clock: Self.later)
        #expect(try await restarted.send(Self.request).status == 200)
        #expect(await clients() == ["client-1", "client-1"])
    }

    /// The authorization server gives clients that register from now on a secret.
    private func giveSecret(_ secret: String) async {
        await world.change { rules in
            rules.registrationMembers = ["client_secret": .string(secret), "client_secret_expires_at": 0]
            rules.answers[MCPWorld.serverDocument] = MCPWorld.json(
                MCPWorld.metadata(
                    MCPWorld.issuer,
                    ["token_endpoint_auth_methods_supported": ["client_secret_post"]]
                )
            )
        }
    }

    @Test func `nor do two of them, of a client with a secret: it is kept until another session takes the place`()
        async throws
    {
        await giveSecret("s3cret")
        await world.change { $0.rejectsRefreshedTokens = true }
        let authorization = try authorization()
        _ = try await authorization.session()
        await world.forgetTokens()
        await giveSecret("n3w")
        await world.change { $0.lostClients = ["client-1", "client-2"] }
        for _ in 0..<2 {
            #expect(await clientError { _ = try await authorization.send(Self.request) }?.code == .timedOut)
        }
        #expect(await clients() == ["client-1", "client-1", "client-2"])
        await world.change { $0.rejectsRefreshedTokens = false }
        let restarted = try fixture.authorization(using: nil, clock: Self.later)
        #expect(try await restarted.send(Self.request).status == 200)
        let form = try #require(await world.tokenRequests.last)
        #expect(form["grant_type"] == "refresh_token")
        #expect(form["client_id"] == "client-1" && form["client_secret"] == "s3cret")
    }

    @Test func `a registration that no session ever used is not kept when another one replaces it`() async throws {
        await giveSecret("s3cret")
        await world.change { $0.rejectedClients = ["client-1"] }
        _ = try await authorization().session()
        #expect(await clients() == ["client-1", "client-2"])
        #expect(await fixture.store.record("former \(MCPWorld.issuer) client-1") == nil)
    }

    @Test func `without a user the session stays, with the pauses of its refreshes`() async throws {
        _ = try await authorization().session()
        await world.change { $0.rejectedClients = ["client-1"] }
        let restarted = try fixture.authorization(using: nil, clock: Self.later)
        let session = try await restarted.session()
        #expect(await clientError { try await session.refresh() }?.answer?.error == .invalidClient)
        let next = try await restarted.session()
        #expect(next === session)
        await world.change { $0.rejectedClients = [] }
        try await session.refresh()
        #expect(try await restarted.send(Self.request).status == 200)
    }

    @Test func `an authorization server that forgets each client does not open the browser for every call`()
        async throws
    {
        let authorization = try authorization()
        _ = try await authorization.session()
        await world.change { rules in
            rules.rejectsAllTokens = true
            rules.rejectsRefreshedClients = true
        }
        for _ in 0..<6 { _ = await clientError { _ = try await authorization.send(Self.request) } }
        let count = await world.authorizations.count
        #expect(count == 3)
    }

    @Test func `a client that was registered by hand keeps its tokens, and nobody signs in`() async throws {
        var identity = MCPClientIdentity(name: "Agent")
        identity.registered = [MCPWorld.issuer: .init(clientID: "by-hand")]
        _ = try await authorization(identity).session()
        await world.change { $0.rejectedClients = ["by-hand"] }
        let restarted = try authorization(identity, clock: Self.later)
        let error = await clientError { _ = try await restarted.send(Self.request) }
        #expect(error?.answer?.error == .invalidClient)
        await world.change { $0.rejectedClients = [] }
        let session = try await restarted.session()
        try await session.refresh()
        #expect(try await restarted.send(Self.request).status == 200)
        #expect(await clients() == ["by-hand"])
    }

    @Test func `RFC 7591 section 3.2.1: a client whose secret has expired registers again`() async throws {
        await world.change { rules in
            rules.registrationMembers = ["client_secret": "s3cret", "client_secret_expires_at": 1_790_000_100]
            rules.answers[MCPWorld.serverDocument] = MCPWorld.json(
                MCPWorld.metadata(
                    MCPWorld.issuer,
                    ["token_endpoint_auth_methods_supported": ["client_secret_post"]]
                )
            )
        }
        _ = try await authorization().session()
        await world.change { $0.registrationMembers = ["client_secret": "n3w", "client_secret_expires_at": 0] }
        #expect(try await authorization(clock: Self.later).send(Self.request).status == 200)
        #expect(await clients() == ["client-1", "client-2"])
        let secrets = await world.tokenRequests.map { $0["client_secret"] }
        #expect(secrets == ["s3cret", "n3w"])
    }

    @Test func `a public client has no secret that could expire`() async throws {
        await world.change { $0.registrationMembers = ["client_secret_expires_at": 1_790_000_100] }
        _ = try await authorization().session()
        #expect(try await authorization(clock: Self.later).send(Self.request).status == 200)
        #expect(await clients() == ["client-1"])
    }
}
