// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("MCP: requests, step-up and refusals")
struct MCPRequestTests {
    private let fixture = MCPFixture()
    private var world: MCPWorld { fixture.world }
    private static let post = HTTPRequest(method: "POST", target: MCPWorld.server)

    private func demandWrite(_ challenge: String, supported: [String] = []) async {
        await world.change { rules in
            rules.challenge = ["Bearer resource_metadata=\"\(MCPWorld.pathDocument)\", scope=\"files:read\""]
            rules.neededScope = "files:write"
            rules.scopeChallenge = challenge
            rules.answers[MCPWorld.pathDocument] = MCPWorld.json(
                MCPWorld.resource(["scopes_supported": .strings(supported)])
            )
        }
    }

    @Test func `case 28: a demand for more scope asks for the union, and the request is sent once more`() async throws {
        await demandWrite("Bearer error=\"insufficient_scope\", scope=\"files:write\"")
        let authorization = try fixture.authorization()
        let session = try await authorization.session()
        let response = try await authorization.send(Self.post)
        #expect(response.status == 200)
        let scopes = await world.authorizations.map { $0["scope"] }
        #expect(scopes == ["files:read", "files:read files:write"])
        let resources = await world.authorizations.map { $0["resource"] }
        #expect(resources == [MCPWorld.server, MCPWorld.server])
        let after = try await authorization.session()
        #expect(after === session)
        // What was asked for is remembered after a restart.
        let restarted = try fixture.authorization()
        #expect(try await restarted.send(Self.post).status == 200)
        let count = await world.authorizations.count
        #expect(count == 2)
    }

    @Test func `case 28: a scope that the authorization server does not know is not asked for again`() async throws {
        await demandWrite("Bearer error=\"insufficient_scope\", scope=\"foo\"")
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        await world.change { $0.callbackError = "invalid_scope" }
        #expect(await clientError { _ = try await authorization.send(Self.post) }?.code == .authorizationRejected)
        await world.change { rules in
            rules.callbackError = nil
            rules.scopeChallenge = "Bearer error=\"insufficient_scope\", scope=\"files:write\""
        }
        #expect(try await authorization.send(Self.post).status == 200)
        let scopes = await world.authorizations.map { $0["scope"] }
        #expect(scopes == ["files:read", "files:read foo", "files:read files:write"])
        let record = await fixture.store.record("server " + MCPWorld.server)
        #expect(record?["scopes"] == ["files:read", "files:write"])
    }

    @Test func `case 36: the events of a stream come one by one, after the same step-up`() async throws {
        await demandWrite("Bearer error=\"insufficient_scope\", scope=\"files:write\"")
        await world.change { $0.events = ["1", "2"] }
        let authorization = try fixture.authorization()
        let response = try await authorization.bytes(for: Self.post, timeout: .seconds(600))
        #expect(response.status == 200 && response.fields["Content-Type"] == "text/event-stream")
        // The stream has no end: a caller that waited for all of it would never return.
        var received = ""
        for try await chunk in response.body.chunks {
            received += String(decoding: chunk, as: UTF8.self)
            if received.hasSuffix("data: 2\n\n") { break }
        }
        #expect(received == "data: 1\n\ndata: 2\n\n")
        let scopes = await world.authorizations.map { $0["scope"] }
        #expect(scopes == ["files:read", "files:read files:write"])
        let elsewhere = await clientError {
            _ = try await authorization.bytes(for: HTTPRequest(method: "POST", target: "https://evil.example/mcp"))
        }
        #expect(elsewhere?.code == .invalidArgument)
    }

    @Test
    func `case 29: a demand without a scope asks for all, and one that stays is an error without a second browser`()
        async throws
    {
        await demandWrite("Bearer error=\"insufficient_scope\"", supported: ["files:read", "files:write"])
        let authorization = try fixture.authorization()
        #expect(try await authorization.send(Self.post).status == 200)
        let scopes = await world.authorizations.map { $0["scope"] }
        #expect(scopes == ["files:read", "files:read files:write"])
        await world.change { $0.neededScope = "nobody:has" }
        let error = await clientError { _ = try await authorization.send(Self.post) }
        #expect(error?.code == .insufficientScope)
        let count = await world.authorizations.count
        #expect(count == 2)
    }

    @Test func `case 29: a server that grants less than it demands opens one browser for a call`() async throws {
        await demandWrite("Bearer error=\"insufficient_scope\", scope=\"files:write\"")
        await world.change { $0.grantedScope = "files:read" }
        let authorization = try fixture.authorization()
        let error = await clientError { _ = try await authorization.send(Self.post) }
        #expect(error?.code == .insufficientScope)
        let count = await world.authorizations.count
        #expect(count == 2)
    }

    @Test func `case 30: twenty calls that meet the demand together cause one step-up`() async throws {
        await demandWrite("Bearer error=\"insufficient_scope\", scope=\"files:write\"")
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await authorization.send(Self.post).status } }
            for try await status in group { #expect(status == 200) }
        }
        let count = await world.authorizations.count
        #expect(count == 2)
    }

    @Test func `case 33: a token goes to its server only, and no redirect is followed`() async throws {
        let authorization = try fixture.authorization()
        for target in ["https://evil.example/mcp", "http://mcp.example/mcp", "https://mcp.example:8443/mcp"] {
            let error = await clientError { _ = try await authorization.send(HTTPRequest(target: target)) }
            #expect(error?.code == .invalidArgument)
        }
        _ = try await authorization.session()
        await world.change {
            $0.answers[MCPWorld.server] = HTTPResponse(status: 307, fields: ["Location": "https://evil.example/mcp"])
        }
        #expect(try await authorization.send(Self.post).status == 307)
        let asked = await world.asked
        #expect(!asked.contains { $0.contains("evil") || $0.contains("8443") })
    }

    @Test func `case 34: a token that is rejected is refreshed once, then the user signs in as the challenge says`()
        async throws
    {
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        await world.forgetTokens()
        #expect(try await authorization.send(Self.post).status == 200)
        let grants = await world.tokenRequests.map { $0["grant_type"] }
        #expect(grants == ["authorization_code", "refresh_token"])
        let named = "https://mcp.example/newer.json"
        await world.change { rules in
            rules.rejectsAllTokens = true
            rules.invalid = ["Bearer error=\"invalid_token\", resource_metadata=\"\(named)\", scope=\"files:all\""]
            rules.answers[named] = MCPWorld.json(MCPWorld.resource())
        }
        #expect(try await authorization.send(Self.post).status == 401)
        let authorizations = await world.authorizations
        #expect(authorizations.count == 2 && authorizations.last?["scope"] == "files:all")
    }

    @Test(arguments: [["Bearer error=\"invalid_token\""], []])
    func `case 34: a server that refuses every token does not open the browser for every call`(
        _ challenges: [String]
    ) async throws {
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        await world.change { rules in
            rules.rejectsAllTokens = true
            rules.invalid = challenges
        }
        for _ in 0..<5 { #expect(try await authorization.send(Self.post).status == 401) }
        let count = await world.authorizations.count
        #expect(count == 3)
    }

    @Test func `case 34: sign-ins that help are not limited`() async throws {
        await world.change { $0.rejectsRefreshedTokens = true }
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        for _ in 0..<5 {
            await world.forgetTokens()
            #expect(try await authorization.send(Self.post).status == 200)
        }
        let count = await world.authorizations.count
        #expect(count == 6)
    }

    @Test func `case 34: sessions that end at once do not open the browser for every call`() async throws {
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        await world.change { rules in
            rules.rejectsAllTokens = true
            rules.rejectsRefresh = true
        }
        for _ in 0..<6 {
            let error = await clientError { _ = try await authorization.send(Self.post) }
            #expect(error?.code == .sessionEnded)
        }
        let count = await world.authorizations.count
        #expect(count == 3)
    }

    @Test func `case 34: sessions that end after the server has accepted them are not limited`() async throws {
        await world.change { $0.rejectsRefresh = true }
        let authorization = try fixture.authorization()
        for number in 1...5 {
            #expect(try await authorization.send(Self.post).status == 200)
            await world.forgetTokens()
            let error = await clientError { _ = try await authorization.send(Self.post) }
            #expect(error?.code == .sessionEnded)
            let count = await world.authorizations.count
            #expect(count == number)
        }
    }

    @Test func `case 34: a user who signs out may sign in again at once`() async throws {
        let authorization = try fixture.authorization()
        for number in 1...5 {
            try await authorization.session().signOut()
            let count = await world.authorizations.count
            #expect(count == number)
        }
    }

    @Test(arguments: ["DPoP error=\"invalid_dpop_proof\"", "Bearer error=\"invalid_request\""])
    func `case 34: an error that a new token cannot help with opens no browser`(_ challenge: String) async throws {
        let authorization = try fixture.authorization()
        _ = try await authorization.session()
        await world.change { rules in
            rules.rejectsAllTokens = true
            rules.invalid = [challenge]
        }
        #expect(try await authorization.send(Self.post).status == 401)
        let count = await world.authorizations.count
        #expect(count == 1)
    }

    @Test func `without a user nobody is asked to sign in`() async throws {
        let authorization = try fixture.authorization(MCPWorld.server, MCPClientIdentity(name: "Agent"), hasUser: false)
        let error = await clientError { _ = try await authorization.session() }
        #expect(error?.code == .sessionEnded)
        let requests = await world.requests.count
        #expect(requests == 0)
    }

    @Test func `each server has a session of its own`() async throws {
        let other = "https://mcp.example/other"
        await world.change { rules in
            rules.answers["https://mcp.example/.well-known/oauth-protected-resource/other"] = MCPWorld.json(
                MCPWorld.resource(["resource": .string(other)])
            )
        }
        let (first, second) = (try fixture.authorization(), try fixture.authorization(other))
        async let one = first.session()
        async let two = second.session()
        _ = try await (one, two)
        let resources = await Set(world.authorizations.compactMap { $0["resource"] })
        #expect(resources == [MCPWorld.server, other])
        let tokens = try await (
            first.session().tokenManager.fetch().accessToken, second.session().tokenManager.fetch().accessToken
        )
        #expect(tokens.0 != tokens.1)
    }

    @Test func `what is known of servers is kept in files of the user alone`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = FileMCPStateStore(directory: directory)
        #expect(try await store.record("server x") == nil)
        try await store.save(["a": "1"], for: "server x")
        #expect(try await store.record("server x") == ["a": "1"])
        // One that could not be read again is refused, and the old one stays.
        let long = JSONValue.string(String(repeating: "a", count: 65_536))
        #expect(await clientError { try await store.save(["a": long], for: "server x") }?.code == .storageFailed)
        #expect(try await store.record("server x") == ["a": "1"])
        let fits = JSONValue.string(String(repeating: "a", count: 65_527))
        try await store.save(["a": fits], for: "server x")
        #expect(try await store.record("server x") == ["a": fits])
        try await store.save(nil, for: "server x")
        #expect(try await store.record("server x") == nil)
    }

    @Test func `what a killed process was writing is deleted with the next change, and with the record`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = FileMCPStateStore(directory: directory)
        // Without a directory there is nothing to delete, and none is made.
        try await store.save(nil, for: "server x")
        #expect(!FileManager.default.fileExists(atPath: directory))
        try await store.save(["a": "1"], for: "server x")
        let files = { try Set(FileManager.default.contentsOfDirectory(atPath: directory)) }
        let record = try #require(try files().first { $0.hasSuffix(".json") })
        let leaveHalfWritten = {
            try Data("{}".utf8).write(to: URL(fileURLWithPath: directory + "/." + record + ".new-a1B2c3"))
        }
        try leaveHalfWritten()
        try await store.save(["a": "2"], for: "server x")
        #expect(try files() == [record, "lock"])
        #expect(try await store.record("server x") == ["a": "2"])
        try leaveHalfWritten()
        try await store.save(nil, for: "server x")
        #expect(try files() == ["lock"])
    }
}
