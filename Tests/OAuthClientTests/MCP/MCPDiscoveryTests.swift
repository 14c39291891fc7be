// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

@Suite("MCP: from a bare 401 to the authorization server")
struct MCPDiscoveryTests {
    private let fixture = MCPFixture()
    private var world: MCPWorld { fixture.world }
    private static let named = "https://mcp.example/metadata.json"

    private func signIn(_ change: @Sendable (inout MCPWorld.Rules) -> Void) async throws {
        await world.change(change)
        _ = try await fixture.authorization().session()
    }

    @Test func `case 1: the address in the challenge is asked, and no other`() async throws {
        try await signIn { rules in
            rules.challenge = ["Bearer resource_metadata=\"\(Self.named)\""]
            rules.answers[Self.named] = MCPWorld.json(MCPWorld.resource())
        }
        let asked = await world.asked
        #expect(asked.first == Self.named)
        #expect(!asked.contains { $0.contains("oauth-protected-resource") })
    }

    @Test func `case 2: without it the address of the path is asked, and not the root`() async throws {
        try await signIn { $0.challenge = [] }
        let asked = await world.asked
        #expect(asked.first == MCPWorld.pathDocument)
        #expect(!asked.contains(MCPWorld.rootDocument))
    }

    @Test func `cases 3 and 4: the root is used if the path has none, and names the resource`() async throws {
        for status in [404, 200] {
            let fixture = MCPFixture()
            await fixture.world.change { rules in
                rules.challenge = []
                rules.answers[MCPWorld.pathDocument] = HTTPResponse(status: status, body: Array("<html>".utf8))
                rules.answers[MCPWorld.rootDocument] = MCPWorld.json(
                    MCPWorld.resource(["resource": "https://mcp.example"])
                )
            }
            _ = try await fixture.authorization().session()
            let resource = await fixture.world.authorizations.first?["resource"]
            #expect(resource == "https://mcp.example")
        }
    }

    @Test func `case 5: a server that is down is not taken for one without metadata`() async throws {
        let error = try await fixture.refusal { rules in
            rules.challenge = []
            rules.answers[MCPWorld.pathDocument] = HTTPResponse(status: 503)
        }
        #expect(error?.code == .serverUnavailable)
    }

    @Test(arguments: [
        "https://other.example/mcp", "https://mcp.example/mcpx", "https://mcp.example/m", "http://mcp.example/mcp",
    ])
    func `case 6: a document of another server is rejected, and nothing else is tried`(resource: String) async throws {
        let error = try await fixture.refusal { rules in
            rules.answers[MCPWorld.pathDocument] = MCPWorld.json(MCPWorld.resource(["resource": .string(resource)]))
            rules.answers[MCPWorld.rootDocument] = MCPWorld.json(MCPWorld.resource())
        }
        #expect(error?.code == .metadataOfAnotherResource)
        let asked = await world.asked
        #expect(asked == [MCPWorld.pathDocument])
    }

    @Test func `case 7: a document of the host covers the server, with a slash at its end too`() async throws {
        try await signIn {
            $0.answers[MCPWorld.pathDocument] = MCPWorld.json(MCPWorld.resource(["resource": "https://mcp.example/"]))
        }
        let resource = await world.authorizations.first?["resource"]
        #expect(resource == "https://mcp.example/")
        let strict = ProtectedResourceDiscovery(transport: world)
        let error = await clientError { _ = try await strict.metadata(of: MCPWorld.server) }
        #expect(error?.code == .metadataOfAnotherResource)
    }

    @Test(arguments: [
        "http://mcp.example/metadata.json", "http://127.0.0.1/metadata.json", "https://127.0.0.1/metadata.json",
        "https://user@mcp.example/metadata.json", "https://mcp.example/metadata.json#x", "metadata.json",
    ])
    func `case 8: an address that is not secure is rejected, and not asked`(address: String) async throws {
        let error = try await fixture.refusal { $0.challenge = ["Bearer resource_metadata=\"\(address)\""] }
        #expect(error?.code == .insecureURL || error?.code == .malformedResponse)
        let asked = await world.asked
        #expect(asked.isEmpty)
    }

    @Test func `case 8: a redirect from there is not followed`() async throws {
        try await signIn { rules in
            rules.challenge = ["Bearer resource_metadata=\"\(Self.named)\""]
            rules.answers[Self.named] = HTTPResponse(status: 302, fields: ["Location": "https://evil.example/x"])
        }
        let asked = await world.asked
        #expect(!asked.contains { $0.contains("evil") })
        #expect(asked.prefix(2) == [Self.named, MCPWorld.pathDocument])
    }

    @Test func `case 9: the address is found with two challenges, in one field or in two`() async throws {
        let parameter = "resource_metadata=\"\(Self.named)\""
        for challenge in [
            ["DPoP algs=\"ES256\", Bearer \(parameter)"], ["DPoP algs=\"ES256\"", "Bearer \(parameter)"],
            ["Basic realm=\"x\"", "DPoP \(parameter)"], ["Bearer realm=\"x\", DPoP \(parameter)"],
        ] {
            let fixture = MCPFixture()
            await fixture.world.change { rules in
                rules.challenge = challenge
                rules.tokenType = "DPoP"
                rules.answers[Self.named] = MCPWorld.json(MCPWorld.resource())
                rules.answers[MCPWorld.serverDocument] = MCPWorld.json(
                    MCPWorld.metadata(MCPWorld.issuer, ["dpop_signing_alg_values_supported": ["ES256"]])
                )
            }
            _ = try await fixture.authorization().session()
            let asked = await fixture.world.asked
            #expect(asked.first == Self.named)
        }
    }

    @Test func `case 10: a document without an authorization server is rejected`() async throws {
        for servers in [JSONValue.null, []] {
            let error = try await MCPFixture().refusal {
                $0.answers[MCPWorld.pathDocument] = MCPWorld.json(MCPWorld.resource(["authorization_servers": servers]))
            }
            #expect(error?.code == .unsupportedByServer)
        }
    }

    @Test func `case 11: of two authorization servers the one in use is taken, or one that can be read`() async throws {
        try await signIn { _ in }
        await world.change { rules in
            rules.answers[MCPWorld.pathDocument] = MCPWorld.json(
                MCPWorld.resource(["authorization_servers": ["https://first.example", .string(MCPWorld.issuer)]])
            )
        }
        await world.forgetTokens()
        let again = try MCPAuthorization(
            for: MCPWorld.server,
            as: MCPClientIdentity(name: "Agent"),
            using: MCPUser(world: world),
            store: fixture.store,
            transport: world
        )
        _ = try await again.session()
        let asked = await world.asked
        #expect(!asked.contains { $0.contains("first.example") })
        let fresh = MCPFixture()
        await fresh.world.change { rules in
            rules.answers[MCPWorld.pathDocument] = MCPWorld.json(
                MCPWorld.resource(["authorization_servers": ["https://first.example", .string(MCPWorld.issuer)]])
            )
        }
        _ = try await fresh.authorization().session()
        let count = await fresh.world.authorizations.count
        #expect(count == 1)
    }

    @Test func `cases 12 and 13: each of the three addresses is asked in order, whatever the others say`() async throws
    {
        let issuer = "https://auth.example/tenant"
        let addresses = [
            "https://auth.example/.well-known/oauth-authorization-server/tenant",
            "https://auth.example/.well-known/openid-configuration/tenant",
            "https://auth.example/tenant/.well-known/openid-configuration",
        ]
        let others = [
            HTTPResponse(status: 200, body: Array("<html>".utf8)), HTTPResponse(status: 500), HTTPResponse(status: 404),
            HTTPResponse(status: 302, fields: ["Location": "https://evil.example/"]),
            MCPWorld.json(MCPWorld.metadata("https://auth.example/other")),
        ]
        for (number, address) in addresses.enumerated() {
            for other in others {
                let fixture = MCPFixture()
                await fixture.world.change { rules in
                    rules.callbackIssuer = issuer
                    rules.answers[MCPWorld.pathDocument] = MCPWorld.json(
                        MCPWorld.resource(["authorization_servers": [.string(issuer)]])
                    )
                    for address in addresses { rules.answers[address] = other }
                    rules.answers[address] = MCPWorld.json(
                        MCPWorld.metadata(
                            issuer,
                            [
                                "token_endpoint": "https://auth.example/token",
                                "registration_endpoint": "https://auth.example/register",
                            ]
                        )
                    )
                }
                _ = try await fixture.authorization().session()
                let asked = await fixture.world.asked.dropFirst().prefix(number + 1)
                #expect(Array(asked) == Array(addresses.prefix(number + 1)))
                let strayed = await fixture.world.asked.contains { $0.contains("evil") }
                #expect(!strayed)
            }
        }
    }

    @Test func `case 14: documents of another issuer only are rejected`() async throws {
        let error = try await fixture.refusal {
            let wrong = MCPWorld.json(MCPWorld.metadata("https://evil.example"))
            $0.answers[MCPWorld.serverDocument] = wrong
            $0.answers["https://auth.example/.well-known/openid-configuration"] = wrong
        }
        #expect(error?.code == .metadataOfAnotherIssuer)
    }

    @Test func `case 15: a server that does not announce PKCE with S256 is rejected before the browser`() async throws {
        for methods in [JSONValue.null, [], ["plain"]] {
            let error = try await MCPFixture().refusal {
                $0.answers[MCPWorld.serverDocument] = MCPWorld.json(
                    MCPWorld.metadata(MCPWorld.issuer, ["code_challenge_methods_supported": methods])
                )
            }
            #expect(error?.code == .unsupportedByServer)
        }
        let endpoint = try await MCPFixture().refusal {
            $0.answers[MCPWorld.serverDocument] = MCPWorld.json(
                MCPWorld.metadata(MCPWorld.issuer, ["authorization_endpoint": .null])
            )
        }
        #expect(endpoint?.code == .unsupportedByServer)
    }

    @Test func `case 35: a server without any metadata is rejected`() async throws {
        let error = try await fixture.refusal { rules in
            rules.challenge = []
            rules.answers[MCPWorld.pathDocument] = nil
        }
        #expect(error?.code == .unsupportedByServer)
        let asked = await world.asked
        #expect(!asked.contains { $0.hasSuffix("/authorize") || $0.hasSuffix("/token") })
    }

    @Test func `case 35: if the app allows it, such a server is its own authorization server`() async throws {
        await world.change { rules in
            rules.challenge = []
            rules.answers = [:]
            rules.callbackIssuer = nil
        }
        var identity = MCPClientIdentity(name: "Agent")
        identity.allowsLegacyServers = true
        let authorization = try fixture.authorization(MCPWorld.server, identity)
        _ = try await authorization.session()
        let response = try await authorization.send(HTTPRequest(method: "POST", target: MCPWorld.server))
        #expect(response.status == 200)
        let asked = await world.asked
        #expect(asked.suffix(2) == ["https://mcp.example/register", "https://mcp.example/token"])
        // A document of the server wins.
        let other = MCPFixture()
        await other.world.change { $0.challenge = [] }
        _ = try await other.authorization(MCPWorld.server, identity).session()
        let tokenEndpoints = await other.world.asked.filter { $0.hasSuffix("/token") }
        #expect(tokenEndpoints == [MCPWorld.issuer + "/token"])
    }

    @Test func `case 35: a legacy server that is down is not taken for one without metadata`() async throws {
        var identity = MCPClientIdentity(name: "Agent")
        identity.allowsLegacyServers = true
        let error = try await fixture.refusal(identity) { rules in
            rules.challenge = []
            rules.answers = [:]
            for document in [MCPWorld.pathDocument, MCPWorld.rootDocument] {
                rules.answers[document] = HTTPResponse(status: 503)
            }
        }
        #expect(error?.code == .serverUnavailable)
    }

    @Test(arguments: [
        ("https://MCP.example:443/mcp/", "https://mcp.example/mcp"), ("https://mcp.example/", "https://mcp.example"),
        ("https://mcp.example/mcp?tenant=1", "https://mcp.example/mcp?tenant=1"),
        ("https://mcp.example:8443/a/b", "https://mcp.example:8443/a/b"),
    ])
    func `a server has one spelling`(given: String, canonical: String) throws {
        #expect(try fixture.authorization(given).server == canonical)
    }

    @Test(arguments: ["http://mcp.example/mcp", "https://mcp.example/#x", "https://u@mcp.example/", "mcp.example", ""])
    func `a URL that is none is rejected`(given: String) {
        #expect(throws: OAuthClientError.self) { try fixture.authorization(given) }
    }
}
