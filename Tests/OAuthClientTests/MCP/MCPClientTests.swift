// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

@Suite("MCP: who the app is, and what it asks for")
struct MCPClientTests {
    private let fixture = MCPFixture()
    private var world: MCPWorld { fixture.world }

    private static func identity(isRegistered: Bool = false, hasDocument: Bool = false) throws -> MCPClientIdentity {
        var identity = MCPClientIdentity(name: "Agent", document: hasDocument ? try MCPFixture.document() : nil)
        if isRegistered { identity.registered = [MCPWorld.issuer: .init(clientID: "by-hand")] }
        return identity
    }

    private func signIn(
        _ identity: MCPClientIdentity = MCPClientIdentity(name: "Agent"),
        server: JSONObject = [:],
        resource: JSONObject = [:],
        _ change: @Sendable (inout MCPWorld.Rules) -> Void = { _ in }
    ) async throws -> FormParameters {
        await world.change { rules in
            rules.answers[MCPWorld.serverDocument] = MCPWorld.json(MCPWorld.metadata(MCPWorld.issuer, server))
            rules.answers[MCPWorld.pathDocument] = MCPWorld.json(MCPWorld.resource(resource))
            change(&rules)
        }
        _ = try await fixture.authorization(MCPWorld.server, identity).session()
        return try #require(await world.authorizations.last)
    }

    @Test func `cases 16 to 18: registered by hand, else the document, else registration`() async throws {
        let supported: JSONObject = ["client_id_metadata_document_supported": true]
        let byHand = try await signIn(Self.identity(isRegistered: true, hasDocument: true), server: supported)
        #expect(byHand["client_id"] == "by-hand")
        let other = MCPClientTests()
        let document = try await other.signIn(Self.identity(hasDocument: true), server: supported)
        #expect(document["client_id"] == "https://agent.example/client.json")
        let third = MCPClientTests()
        let registered = try await third.signIn(Self.identity(hasDocument: true))
        #expect(registered["client_id"] == "client-1")
        for (tests, count) in [(self, 0), (other, 0), (third, 1)] {
            let registrations = await tests.world.registrations.count
            #expect(registrations == count)
        }
        let request = try #require(await third.world.registrations.first)
        #expect(request["application_type"] == "native")
        #expect(request["token_endpoint_auth_method"] == "none")
        #expect(request["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(request["redirect_uris"] == ["http://127.0.0.1/callback"])
    }

    @Test func `case 18: a registration is kept for its issuer, and used after a restart`() async throws {
        _ = try await signIn()
        let again = try MCPAuthorization(
            for: MCPWorld.server,
            as: MCPClientIdentity(name: "Agent"),
            using: MCPUser(world: world),
            store: fixture.store,
            transport: world
        )
        _ = try await again.session()
        let (registrations, clients) = await (world.registrations.count, world.authorizations.map { $0["client_id"] })
        #expect(registrations == 1 && clients == ["client-1", "client-1"])
        // The session itself is restored without asking anybody.
        let count = await world.requests.count
        let restored = try fixture.authorization(MCPWorld.server, MCPClientIdentity(name: "Agent"), hasUser: false)
        _ = try await restored.session()
        let after = await world.requests.count
        #expect(after == count)
    }

    @Test func `case 18: a secret goes in the form where the server takes that, with the client identifier`()
        async throws
    {
        let methods: JSONObject = [
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"]
        ]
        await world.change { $0.registrationMembers = ["client_secret": "s3cret", "client_secret_expires_at": 0] }
        _ = try await signIn(server: methods)
        let request = try #require(await world.registrations.first)
        #expect(request["token_endpoint_auth_method"] == "client_secret_post")
        let form = try #require(await world.tokenRequests.first)
        #expect(form["client_id"] == "client-1" && form["client_secret"] == "s3cret")
    }

    @Test func `case 19: the other loopback redirect URI is tried once`() async throws {
        let request = try await signIn { $0.rejectedRedirectURIs = ["http://127.0.0.1/callback"] }
        #expect(request["redirect_uri"] == "http://localhost/callback")
        let tests = MCPClientTests()
        let error = try await tests.fixture.refusal {
            $0.rejectedRedirectURIs = ["http://127.0.0.1/callback", "http://localhost/callback"]
        }
        #expect(error?.answer?.error == .invalidRedirectURI)
        let registrations = await tests.world.registrations.count
        #expect(registrations == 2)
    }

    @Test
    func `case 20: at another issuer the app is another client, and what was registered by hand stays where it was`()
        async throws
    {
        let other = "https://other.example"
        let move: @Sendable (inout MCPWorld.Rules) -> Void = { rules in
            rules.callbackIssuer = other
            rules.answers[MCPWorld.pathDocument] = MCPWorld.json(
                MCPWorld.resource(["authorization_servers": [.string(other)]])
            )
            rules.answers[other + "/.well-known/oauth-authorization-server"] = MCPWorld.json(MCPWorld.metadata(other))
        }
        _ = try await signIn()
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        await world.change(move)
        await world.change { $0.rejectsAllTokens = true }
        await world.forgetTokens()
        let count = await world.tokenRequests.count
        _ = try? await authorization.send(HTTPRequest(target: MCPWorld.server))
        let sent = await world.requests.filter { $0.target.hasPrefix(other) }
        let atOther = await world.authorizations.last?["client_id"]
        #expect(atOther == "client-2")
        #expect(sent.allSatisfy { !String(decoding: $0.body, as: UTF8.self).contains("client-1") })
        #expect(count > 0)

        let tests = MCPClientTests()
        let identity = try Self.identity(isRegistered: true)
        let byHand = try tests.fixture.authorization(MCPWorld.server, identity)
        _ = try await byHand.session()
        await tests.world.change(move)
        await tests.world.change { $0.rejectsAllTokens = true }
        let error = await clientError { _ = try await byHand.send(HTTPRequest(target: MCPWorld.server)) }
        #expect(error?.code == .issuerChanged)
        let strangers = await tests.world.requests.filter {
            $0.target.hasPrefix(other) && ($0.target.contains("/token") || $0.target.contains("/register"))
        }
        #expect(strangers.isEmpty)
    }

    @Test func `case 21: a client that the server forgot registers once more, and no third time`() async throws {
        let request = try await signIn { $0.rejectedClients = ["client-1"] }
        #expect(request["client_id"] == "client-2")
        let tests = MCPClientTests()
        await tests.world.change { $0.rejectedClients = ["client-1", "client-2", "client-3"] }
        let authorization = try tests.fixture.authorization()
        let error = await clientError { _ = try await authorization.session() }
        #expect(error?.answer?.error == .invalidClient)
        let registrations = await tests.world.registrations.count
        #expect(registrations == 2)
    }

    @Test func `case 22: a registration that names an issuer is taken for the one that was asked`() async throws {
        let request = try await signIn { $0.registrationMembers = ["issuer": "https://evil.example"] }
        #expect(request["client_id"] == "client-1")
        let asked = await world.asked
        #expect(!asked.contains { $0.contains("evil") })
    }

    @Test func `case 23: the scope of the challenge is asked for, and no more`() async throws {
        let request = try await signIn(resource: ["scopes_supported": ["files:read", "files:write"]]) {
            $0.challenge = ["Bearer resource_metadata=\"\(MCPWorld.pathDocument)\", scope=\"files:read\""]
        }
        #expect(request["scope"] == "files:read")
    }

    @Test func `case 24: without it all scopes of the server, or none`() async throws {
        let all = try await signIn(resource: ["scopes_supported": ["files:read", "files:write"]])
        #expect(all["scope"] == "files:read files:write")
        let none = try await MCPClientTests().signIn()
        #expect(none["scope"] == nil)
    }

    @Test func `case 25: offline_access is asked for because of the authorization server, not of the resource`()
        async throws
    {
        let scopes: JSONObject = ["scopes_supported": ["files:read", "offline_access"]]
        let both = try await signIn(server: ["scopes_supported": ["offline_access"]], resource: scopes)
        #expect(both["scope"] == "files:read offline_access")
        let resource = try await MCPClientTests().signIn(resource: scopes)
        #expect(resource["scope"] == "files:read")
    }

    @Test func `case 26: the resource is the same in the authorization, token and refresh request`() async throws {
        let authorization = try fixture.authorization()
        let session = try await authorization.session()
        try await session.refresh()
        let (asked, tokens) = await (world.authorizations.map { $0["resource"] }, world.tokenRequests)
        #expect(asked == [MCPWorld.server])
        #expect(tokens.map { $0["grant_type"] } == ["authorization_code", "refresh_token"])
        #expect(tokens.map { $0["resource"] } == [MCPWorld.server, MCPWorld.server])
    }

    @Test(arguments: [
        (true, MCPWorld.issuer, true), (true, nil, false), (false, nil, true), (false, MCPWorld.issuer, true),
        (true, "https://evil.example", false), (false, "https://evil.example", false),
    ])
    func `case 27: the issuer of the answer is checked, also of an error`(
        isAnnounced: Bool,
        issuer: String?,
        isAccepted: Bool
    ) async throws {
        let metadata: JSONObject = ["authorization_response_iss_parameter_supported": .bool(isAnnounced)]
        for isError in [false, true] {
            let tests = MCPClientTests()
            let error = await clientError {
                _ = try await tests.signIn(server: metadata) { rules in
                    rules.callbackIssuer = issuer
                    rules.callbackError = isError ? "access_denied" : nil
                }
            }
            if isError { #expect(error?.code == (isAccepted ? .authorizationRejected : .callbackOfAnotherIssuer)) }
            if !isError { #expect((error == nil) == isAccepted) }
            if !isAccepted { #expect(error?.developerDescription.contains("attacker") == false) }
        }
    }

    @Test func `cases 31 and 32: tokens are bound where the server can check that, and only there`() async throws {
        let offer: JSONObject = ["dpop_signing_alg_values_supported": ["ES256"]]
        let bearer = try await signIn(server: offer)
        #expect(bearer["dpop_jkt"] == nil)
        let answer = try await fixture.authorization().send(HTTPRequest(target: MCPWorld.server))
        #expect(answer.status == 200)
        let fields = try #require(await world.mcpFields.last)
        #expect(fields["Authorization"]?.hasPrefix("Bearer ") == true && fields["DPoP"] == nil)

        for resource: JSONObject in [
            ["dpop_bound_access_tokens_required": true], ["dpop_signing_alg_values_supported": ["ES256"]],
        ] {
            let tests = MCPClientTests()
            let bound = try await tests.signIn(server: offer, resource: resource) { $0.tokenType = "DPoP" }
            #expect(bound["dpop_jkt"] != nil)
        }
        let error = try await MCPFixture().refusal {
            $0.answers[MCPWorld.pathDocument] = MCPWorld.json(
                MCPWorld.resource(["dpop_bound_access_tokens_required": true])
            )
        }
        #expect(error?.code == .unsupportedByServer)
    }

    @Test func `a server that accepts no type of key of the app is known before the user is asked`() async throws {
        let error = try await MCPFixture().refusal {
            $0.answers[MCPWorld.serverDocument] = MCPWorld.json(
                MCPWorld.metadata(MCPWorld.issuer, ["dpop_signing_alg_values_supported": ["ES256", "ES384"]])
            )
            $0.answers[MCPWorld.pathDocument] = MCPWorld.json(
                MCPWorld.resource(["dpop_signing_alg_values_supported": ["ES384"]])
            )
        }
        #expect(error?.code == .proofAlgorithmRejected)
        #expect(error?.reason.contains("ES384") == true)
    }
}
