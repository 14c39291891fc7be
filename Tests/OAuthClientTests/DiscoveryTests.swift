// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthTransport
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("RFC 8414 section 3: the metadata of the server")
struct DiscoveryTests {
    private let path = "/.well-known/oauth-authorization-server"

    @Test(arguments: [
        "https://auth.example/", "https://AUTH.example", "https://evil.example", "https://auth.example:443",
    ])
    func `trap 24: metadata of another issuer is rejected, to the last character`(_ issuer: String) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.metadata = ["issuer": .string(issuer)] }
        let error = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(error?.code == .metadataOfAnotherIssuer)
    }

    @Test func `trap 24: where there is no OAuth document, the one of OpenID Connect is asked for`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.hasOAuthMetadata = false }
        try await fixture.client.fetchAuthorizationServerMetadata()
        #expect(
            await fixture.server.requests.map(\.target).last == "https://auth.example/.well-known/openid-configuration"
        )
    }

    @Test(arguments: [400, 401, 403, 405, 408, 410, 429, 500, 502, 302])
    func `an answer that is no document leads to the next address`(_ status: Int) async throws {
        let fixture = try SignInFixture()
        let fields: HTTPFields = ["Location": "https://evil.example/"]
        await fixture.server.change { $0.instead[path] = [HTTPResponse(status: status, fields: fields)] }
        try await fixture.client.fetchAuthorizationServerMetadata()
        #expect(
            await fixture.server.requests.map(\.target) == [
                "https://auth.example" + path, "https://auth.example/.well-known/openid-configuration",
            ]
        )
    }

    #if os(Linux)
    @Test func `an answer that is too large leads to the next address, over a real socket`() async throws {
        let fixture = try await OpenIDFixture()
        let path = path
        let large = HTTPResponse(status: 200, body: Array(repeating: UInt8(ascii: " "), count: 70_000))
        await fixture.provider.change { $0.instead[path] = [large] }
        try await fixture.client.fetchAuthorizationServerMetadata()
        #expect(await fixture.provider.count(at: "/.well-known/openid-configuration") == 1)
    }
    #endif

    @Test func `trap 22: a redirect is not followed`() async throws {
        let fixture = try SignInFixture()
        let redirect = HTTPResponse(status: 302, fields: ["Location": "https://evil.example"])
        await fixture.server.change {
            $0.instead[path] = [redirect]
            $0.instead["/.well-known/openid-configuration"] = [redirect]
        }
        let error = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(error?.code == .malformedResponse)
        #expect(error?.status == 302)
        #expect(await fixture.server.requests.allSatisfy { $0.target.hasPrefix("https://auth.example/") })
    }

    @Test func `a server that is down is told from one that has no document`() async throws {
        let fixture = try SignInFixture()
        let other = "/.well-known/openid-configuration"
        let page = HTTPResponse(status: 200, body: Array("<html>".utf8))
        await fixture.server.change {
            $0.instead[path] = [HTTPResponse(status: 503), HTTPResponse(status: 503), page]
            $0.instead[other] = [page, page, HTTPResponse(status: 404)]
        }
        let down = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(down?.code == .serverUnavailable)
        let nonsense = await clientError { try await fixture.client.fetchAuthorizationServerMetadata() }
        #expect(nonsense?.code == .malformedResponse)
        #expect(nonsense?.status == nil, "the page is the reason, not the missing document")
    }

    @Test func `endpoints over http are rejected`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change {
            $0.metadata = ["pushed_authorization_request_endpoint": "http://auth.example/par"]
        }
        let error = await clientError { _ = try await fixture.client.initiateAuthorization(scopes: []) }
        #expect(error?.code == .insecureURL)
    }

    @Test func `metadata is kept for an hour`() async throws {
        let fixture = try SignInFixture()
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        fixture.clock.advance(by: .seconds(3599))
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        #expect(await fixture.server.requests(to: path).count == 1)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        #expect(await fixture.server.requests(to: path).count == 2)
    }

    // MARK: An issuer with a path

    @Test(arguments: [0, 1, 2])
    func `the document of an issuer with a path is found at each of its three addresses`(_ place: Int) async throws {
        let issuer = "https://auth.example/tenant"
        let addresses = [
            "https://auth.example/.well-known/oauth-authorization-server/tenant",
            "https://auth.example/.well-known/openid-configuration/tenant",
            "https://auth.example/tenant/.well-known/openid-configuration",
        ]
        let own = MetadataAnswers.document(issuer)
        // The others answer as servers of several tenants and apps of one page do.
        let wrong: [HTTPResponse] = [
            MetadataAnswers.document("https://auth.example"), HTTPResponse(status: 200, body: Array("<html>".utf8)),
            HTTPResponse(status: 500),
        ]
        var answers: [String: HTTPResponse] = [:]
        for (number, address) in addresses.enumerated() { answers[address] = number == place ? own : wrong[number] }
        let network = MetadataAnswers(answers)
        let client = try OAuth2Client(issuer: issuer, clientID: "my-app", transport: network)
        #expect(try await client.fetchAuthorizationServerMetadata().issuer == issuer)
        #expect(network.targets == Array(addresses[...place]))
        // The address that had it is asked first from then on.
        try await client.fetchAuthorizationServerMetadata()
        #expect(network.targets.last == addresses[place])
        #expect(network.targets.count == place + 2)
    }

    @Test func `documents that all name another issuer are never used`() async throws {
        let network = MetadataAnswers([:], otherwise: MetadataAnswers.document("https://auth.example/other"))
        let client = try OAuth2Client(issuer: "https://auth.example/tenant", clientID: "my-app", transport: network)
        let error = await clientError { try await client.fetchAuthorizationServerMetadata() }
        #expect(error?.code == .metadataOfAnotherIssuer)
        #expect(network.targets.count == 3)
    }

    // MARK: The cache

    @Test func `five accounts and many callers fetch the metadata once`() async throws {
        let server = FakeServer()
        let context = ServerContext(issuer: FakeServer.issuer)
        var clients: [OAuth2Client] = []
        for number in 0..<5 {
            let fixture = try SignInFixture(server: server, seed: UInt64(number), context: context) {
                $0.account = "account \(number)"
            }
            clients.append(fixture.client)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                for _ in 0..<4 { group.addTask { _ = try await client.initiateAuthorization(scopes: []) } }
            }
            try await group.waitForAll()
        }
        #expect(await server.requests(to: path).count == 1)
        #expect(throws: OAuthClientError.self) {
            try OAuth2Client(issuer: "https://other.example", clientID: "my-app", sharing: context)
        }
    }

    @Test func `callers of one client that wait together cause one fetch`() async throws {
        let fixture = try SignInFixture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await fixture.client.initiateAuthorization(scopes: []) } }
            try await group.waitForAll()
        }
        #expect(await fixture.server.requests(to: path).count == 1)
    }

    @Test(arguments: [
        ("max-age=60", 300), ("public, max-age=7200", 7200), ("max-age=999999", 86_400), ("no-store", 300),
        ("max-age=soon", 3600), ("immutable", 3600),
    ])
    func `max-age counts within bounds`(_ value: String, _ seconds: Int) async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.cacheControl = value }
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        fixture.clock.advance(by: .seconds(seconds - 1))
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        #expect(await fixture.server.requests(to: path).count == 1)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.client.initiateAuthorization(scopes: [])
        #expect(await fixture.server.requests(to: path).count == 2)
    }

    @Test func `metadata that cannot be fetched again serves for a day, and does not stop a refresh`() async throws {
        let fixture = try SignInFixture()
        let session = try await fixture.session()
        await fixture.server.change { $0.unreachable = [path] }
        fixture.pass(.seconds(7200))
        let before = await fixture.server.requests(to: path).count
        for _ in 0..<3 { try await session.tokenManager.refresh() }
        #expect(await fixture.server.requests(to: path).count == before + 1, "one attempt a minute")
        fixture.pass(.seconds(86_400))
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .transportFailed)
    }
}

/// A network that answers by URL, and notes what it is asked.
private final class MetadataAnswers: ClientTransport {
    private let answers: [String: HTTPResponse]
    private let otherwise: HTTPResponse
    private let log = Mutex<[String]>([])

    init(_ answers: [String: HTTPResponse], otherwise: HTTPResponse = HTTPResponse(status: 404)) {
        (self.answers, self.otherwise) = (answers, otherwise)
    }

    var targets: [String] { log.withLock { $0 } }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        log.withLock { $0.append(request.target) }
        return answers[request.target] ?? otherwise
    }

    static func document(_ issuer: String) -> HTTPResponse {
        .json(200, ["issuer": .string(issuer), "token_endpoint": .string(issuer + "/token")])
    }
}
