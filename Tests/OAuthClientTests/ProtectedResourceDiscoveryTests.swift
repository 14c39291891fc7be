// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import SocketSupport
import StrictJSON
import Synchronization
import Testing

@Suite("RFC 9728: from an API to its authorization server")
struct ProtectedResourceDiscoveryTests {
    /// A network in memory that responds by URL, and records the requests.
    private final class Network: HTTPTransport {
        private let answers: [String: HTTPResponse]
        private let log = Mutex<[HTTPRequest]>([])

        init(_ answers: [String: HTTPResponse]) {
            self.answers = answers
        }

        var targets: [String] { log.withLock { $0.map(\.target) } }
        var requests: [HTTPRequest] { log.withLock { $0 } }

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            log.withLock { $0.append(request) }
            let answer = answers[request.target] ?? HTTPResponse(status: 404)
            guard answer.body.count <= maximumBodySize else { throw OAuthCoreError(.transportFailed, "too large") }
            return answer
        }
    }

    private static let resource = "https://api.example/notes?v=1"
    private static let wellKnown = "https://api.example/.well-known/oauth-protected-resource/notes?v=1"

    private static func document(_ resource: String = resource) -> HTTPResponse {
        .json(
            200,
            [
                "resource": .string(resource), "authorization_servers": ["https://auth.example"],
                "scopes_supported": ["notes:read"], "dpop_bound_access_tokens_required": true,
            ]
        )
    }

    private func failure(_ network: Network, _ resource: String = resource) async -> OAuthClientError? {
        await clientError { _ = try await ProtectedResourceDiscovery(transport: network).metadata(of: resource) }
    }

    @Test func `finds the issuer at the well-known address`() async throws {
        let network = Network([Self.wellKnown: Self.document()])
        let metadata = try await ProtectedResourceDiscovery(transport: network).metadata(of: Self.resource)
        #expect(metadata.authorizationServers == ["https://auth.example"])
        #expect(metadata.scopesSupported == ["notes:read"])
        #expect(metadata.dpopBoundAccessTokensRequired)
        #expect(network.targets == [Self.wellKnown])
        #expect(try ProtectedResourceMetadata(parsing: metadata.json) == metadata)
    }

    @Test(arguments: [
        ("https://api.example", "https://api.example/.well-known/oauth-protected-resource"),
        ("https://api.example/", "https://api.example/.well-known/oauth-protected-resource"),
        ("https://api.example:8443/a/", "https://api.example:8443/.well-known/oauth-protected-resource/a/"),
        ("https://api.example/?a=b", "https://api.example/.well-known/oauth-protected-resource?a=b"),
    ])
    func `section 3 1: the well-known part stands between host and path`(
        _ resource: String,
        _ address: String
    ) async throws {
        let network = Network([address: Self.document(resource)])
        #expect(try await ProtectedResourceDiscovery(transport: network).metadata(of: resource).resource == resource)
    }

    @Test(arguments: [404, 401, 403])
    func `section 5: where there is nothing, or a token is asked for, the challenge of the API leads on`(
        _ status: Int
    ) async throws {
        let address = "https://elsewhere.example/about"
        let network = Network([
            Self.wellKnown: HTTPResponse(status: status),
            Self.resource: .challenge(#"Basic realm="a", DPoP algs="ES256", resource_metadata="\#(address)""#),
            address: Self.document(),
        ])
        let metadata = try await ProtectedResourceDiscovery(transport: network).metadata(of: Self.resource)
        #expect(metadata.authorizationServers == ["https://auth.example"])
        #expect(network.targets == [Self.wellKnown, Self.resource, address])
        #expect(network.requests.allSatisfy { $0.fields["Authorization"] == nil })
    }

    @Test(arguments: [
        "https://api.example/notes", "https://api.example/notes?v=1&", "https://API.example/notes?v=1",
        "https://evil.example",
    ])
    func `attack 118, trap 24: metadata of another API is rejected, to the last character`(
        _ other: String
    ) async throws {
        #expect(await failure(Network([Self.wellKnown: Self.document(other)]))?.code == .metadataOfAnotherResource)
        let address = "https://elsewhere.example/about"
        let network = Network([
            Self.resource: .challenge(#"Bearer resource_metadata="\#(address)""#), address: Self.document(other),
        ])
        #expect(await failure(network)?.code == .metadataOfAnotherResource)
    }

    @Test(arguments: [
        ("http://elsewhere.example/about", OAuthClientError.Code.insecureURL), ("not a URL", .malformedResponse),
        ("https://a:b@elsewhere.example/about", .malformedResponse),
        ("https://elsewhere.example/#a", .malformedResponse),
        ("file:///etc/passwd", .insecureURL),
    ])
    func `trap 24: a challenge leads to https only`(_ address: String, _ code: OAuthClientError.Code) async throws {
        let network = Network([Self.resource: .challenge(#"Bearer resource_metadata="\#(address)""#)])
        #expect(await failure(network)?.code == code)
        #expect(network.targets.count == 2)
    }

    @Test(arguments: [
        HTTPResponse.challenge("DPoP algs=\"ES256\""), HTTPResponse(status: 200), HTTPResponse(status: 404),
        .challenge(#"Basic resource_metadata="https://elsewhere.example/about""#),
        .challenge(#"Bearer resource_metadata="https://elsewhere.example/about""#, status: 403),
    ])
    func `an API that says nothing about itself`(_ answer: HTTPResponse) async throws {
        #expect(await failure(Network([Self.resource: answer]))?.code == .unsupportedByServer)
    }

    @Test(arguments: [
        (
            HTTPResponse(status: 302, fields: ["Location": "https://evil.example/"]),
            OAuthClientError.Code.malformedResponse
        ),
        (HTTPResponse(status: 503), .serverUnavailable), (HTTPResponse(status: 429), .serverUnavailable),
        (HTTPResponse(status: 200, body: Array("<html>".utf8)), .malformedResponse),
        (.json(200, [:]), .malformedResponse),
        (.json(200, ["resource": "https://api.example/notes?v=1", "authorization_servers": "a"]), .malformedResponse),
        (HTTPResponse(status: 200, body: Array(repeating: 32, count: 65_537)), .transportFailed),
    ])
    func `trap 24: what is no document is rejected, and no redirect is followed`(
        _ answer: HTTPResponse,
        _ code: OAuthClientError.Code
    ) async throws {
        let network = Network([Self.wellKnown: answer])
        #expect(await failure(network)?.code == code)
        #expect(network.targets.count == 1)
    }

    @Test(arguments: [
        ("http://api.example", OAuthClientError.Code.insecureURL), ("http://127.0.0.1/", .insecureURL),
        ("https://a:b@api.example", .invalidArgument), ("https://api.example/#a", .invalidArgument),
        ("api.example", .invalidArgument), ("urn:a:b", .invalidArgument),
    ])
    func `only https URLs are asked`(_ resource: String, _ code: OAuthClientError.Code) async throws {
        let network = Network([:])
        #expect(await failure(network, resource)?.code == code)
        #expect(network.targets.isEmpty)
    }

    // MARK: A document that covers the API

    private static let root = "https://api.example/.well-known/oauth-protected-resource"

    private func covering(_ network: Network, _ resource: String) async throws -> ProtectedResourceMetadata {
        try await ProtectedResourceDiscovery(transport: network).metadata(of: resource, matching: .coveringPath)
    }

    @Test(arguments: [
        ("https://api.example", "https://api.example/mcp"), ("https://api.example/", "https://api.example/mcp"),
        ("https://api.example/mcp", "https://api.example/mcp/tools"),
        ("https://API.example:443/mcp/", "https://api.example/mcp"),
    ])
    func `the document at the root is used when it covers the API`(_ named: String, _ resource: String) async throws {
        let network = Network([Self.root: Self.document(named)])
        #expect(try await covering(network, resource).resource == named)
        #expect(network.targets.count == 2 && network.targets.last == Self.root)
        // By default it is not even asked for.
        let strict = Network([Self.root: Self.document(named)])
        #expect(await failure(strict, resource)?.code == .unsupportedByServer)
        #expect(!strict.targets.contains(Self.root))
    }

    @Test(arguments: [
        "https://api.example/mcpx", "https://api.example/mc", "https://other.example", "http://api.example",
        "https://api.example:8443", "https://api.example/?a=b", "https://api.example/mcp/deeper",
        "https://api.example/mcp/..", "https://u@api.example",
    ])
    func `attack 118: a document that covers something else is rejected, and nothing is tried after it`(
        _ named: String
    ) async throws {
        let network = Network([Self.root: Self.document(named)])
        let error = await clientError { _ = try await covering(network, "https://api.example/mcp") }
        #expect(error?.code == .metadataOfAnotherResource)
        #expect(network.targets.last == Self.root)
    }

    @Test func `a page at the path address leads to the root, and a server that is down is no missing document`()
        async throws
    {
        let own = Self.root + "/mcp"
        let page = HTTPResponse(status: 200, body: Array("<html>".utf8))
        let network = Network([own: page, Self.root: Self.document("https://api.example")])
        #expect(try await covering(network, "https://api.example/mcp").resource == "https://api.example")
        let down = await clientError {
            _ = try await covering(Network([own: HTTPResponse(status: 503)]), "https://api.example/mcp")
        }
        #expect(down?.code == .serverUnavailable)
    }

    #if os(Linux)
    @Test func `over sockets, from the URL of an API to a client of its authorization server`() async throws {
        let json = ["Content-Type: application/json"]
        let server = try TinyServer([
            "/notes": .http(401, [#"WWW-Authenticate: Basic realm="a, b", DPoP resource_metadata="BASE/about""#]),
            "/about": .http(200, json, #"{"resource":"BASE/notes","authorization_servers":["BASE"]}"#),
            "/.well-known/oauth-authorization-server": .http(
                200,
                json,
                #"{"issuer":"BASE","token_endpoint":"BASE/token","response_types_supported":["code"]}"#
            ),
        ])
        let discovery = ProtectedResourceDiscovery(allowsInsecureHTTPOnLoopback: true)
        let found = try await discovery.metadata(of: server.base + "/notes")
        let client = try OAuth2Client(
            issuer: #require(found.authorizationServers?.first),
            clientID: "my-app",
            configuration: .allowingInsecureHTTPOnLoopback
        )
        #expect(try await client.fetchAuthorizationServerMetadata().issuer == server.base)
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("authorization:") })
        let strict = await clientError {
            _ = try await ProtectedResourceDiscovery().metadata(of: server.base + "/notes")
        }
        #expect(strict?.code == .insecureURL)
    }
    #endif
}
