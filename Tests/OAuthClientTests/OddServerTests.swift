// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import SocketSupport
import StrictJSON
import TestSupport
import Testing

@testable import OAuthTransport

/// Servers, gateways and proxies whose responses violate the specifications, over real sockets.
///
/// URLSession on Linux is not tested: it ends the process for some of these.
@Suite("Odd servers")
struct OddServerTests {
    private static let metadata = TinyServer.Answer.http(
        200,
        ["Content-Type: application/json"],
        #"{"issuer":"BASE","token_endpoint":"BASE/token","revocation_endpoint":"BASE/revoke","#
            + #""authorization_endpoint":"BASE/authorize","response_types_supported":["code"]}"#
    )
    private static let wellKnown = "/.well-known/oauth-authorization-server"
    private static let htmlPage = "<!DOCTYPE html><html><body>Something went wrong</body></html>"

    /// A client of a server whose token endpoint responds as a test says.
    private struct Fixture {
        let server: TinyServer
        let client: OAuth2Client
        let clock = FixedClock()

        init(
            token: TinyServer.Answer = .http(404),
            metadata: TinyServer.Answer = OddServerTests.metadata,
            others: [String: TinyServer.Answer] = [:],
            timeout: Duration = .seconds(300),
            exchangeTimeout: Duration = .seconds(300)
        ) throws {
            var answers = others
            answers["/token"] = token
            answers[OddServerTests.wellKnown] = metadata
            server = try TinyServer(answers)
            client = try OAuth2Client(
                issuer: server.base,
                clientID: "my-app",
                configuration: .allowingInsecureHTTPOnLoopback,
                transport: TestedTransport.curl.make(timeout: timeout, exchangeTimeout: exchangeTimeout),
                clock: clock,
                entropy: SeededEntropy()
            )
        }

        func tokens() async throws -> TokenSet {
            try await client.exchangeJWTAssertion("e.30.x", scopes: ["a"])
        }

        func failure() async -> OAuthClientError? {
            await clientError { _ = try await tokens() }
        }

        /// The nonces of the proofs that the token endpoint received.
        func nonces() throws -> [String?] {
            try server.requests.filter { $0.hasPrefix("POST /token") }.map { request in
                let line = try #require(request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("dpop:") })
                let parts = line.dropFirst(5).split(separator: ".")
                let payload = try JSONValue(parsing: Base64URL.decode(String(parts[1])))
                return payload.objectValue?["nonce"]?.stringValue
            }
        }
    }

    private static func granted(
        _ members: String = "",
        _ fields: [String] = ["Content-Type: application/json"]
    )
        -> TinyServer.Answer
    {
        .http(200, fields, #"{"access_token":"at","token_type":"DPoP"\#(members)}"#)
    }

    // MARK: Pages instead of JSON

    @Test func `trap 21: an HTML page in place of the metadata is said to be no metadata`() async throws {
        let page = TinyServer.Answer.http(200, ["Content-Type: text/html"], Self.htmlPage)
        let error = try await Fixture(metadata: page).failure()
        #expect(error?.code == .malformedResponse)
        #expect(error?.reason.contains("Something") == false)
    }

    @Test(arguments: [
        (400, "malformedResponse"), (403, "malformedResponse"), (500, "serverUnavailable"), (502, "serverUnavailable"),
    ])
    func `trap 21: an HTML page of a gateway keeps its status, and tells a refusal from a failure`(
        _ status: Int,
        _ code: String
    ) async throws {
        let fixture = try Fixture(token: .http(status, ["Content-Type: text/html"], Self.htmlPage))
        let error = await fixture.failure()
        #expect(error?.code.rawValue == code)
        #expect(error?.status == status)
        #expect(error?.answer == nil)
    }

    @Test func `trap 21: an HTML page with status 200 gives no tokens`() async throws {
        let error = try await Fixture(token: .http(200, ["Content-Type: text/html"], Self.htmlPage)).failure()
        #expect(error?.code == .malformedResponse)
    }

    @Test(arguments: ["120", "Mon, 21 Sep 2026 14:15:20 GMT"])
    func `trap 21: 503 says when to come back, in seconds or with a date`(_ when: String) async throws {
        let fields = ["Retry-After: \(when)", "Date: Mon, 21 Sep 2026 14:13:20 GMT"]
        let error = try await Fixture(token: .http(503, fields, Self.htmlPage)).failure()
        #expect(error?.code == .serverUnavailable)
        #expect(error?.retryAfter == .seconds(120))
    }

    // MARK: Token responses

    @Test(arguments: [[], ["Content-Type: text/plain"], ["Content-Type: text/html; charset=utf-8"]])
    func `a token response is JSON whatever its content type says, or nothing`(_ fields: [String]) async throws {
        let tokens = try await Fixture(token: Self.granted(#","expires_in":60"#, fields)).tokens()
        #expect(tokens.accessToken.value == "at")
    }

    @Test(arguments: [(#""60""#, 60), ("60", 60), ("60.0", 60), ("99999999999", nil), ("null", nil)])
    func `trap 20: expires_in may be a string, missing or huge`(_ value: String, _ seconds: Int64?) async throws {
        let fixture = try Fixture(token: Self.granted(#","expires_in":\#(value)"#))
        let tokens = try await fixture.tokens()
        if let seconds { #expect(tokens.expiresAt == fixture.clock.now() + .seconds(seconds)) }
        #expect(!tokens.isExpired(at: fixture.clock.now()))
    }

    @Test func `trap 20: a lifetime that is none is rejected, and one that is over is over`() async throws {
        #expect(try await Fixture(token: Self.granted(#","expires_in":"soon""#)).failure()?.code == .malformedResponse)
        let fixture = try Fixture(token: Self.granted(#","expires_in":-5"#))
        #expect(try await fixture.tokens().isExpired(at: fixture.clock.now()))
    }

    @Test func `trap 20: fields that nobody knows, and other case of the type, are no obstacle`() async throws {
        let extra = #","ext_expires_in":"3599","a":{"b":[1,2,{"c":null}]},"refresh_token_expires_in":0,"id_token":null"#
        let answer = #"{"access_token":"at","token_type":"dPoP"\#(extra)}"#
        let tokens = try await Fixture(token: .http(200, [], answer)).tokens()
        #expect(tokens.tokenType == .dpop)
        #expect(tokens.refreshToken == nil)
    }

    // MARK: Nonces

    @Test(arguments: [
        TinyServer.Answer.http(400, ["DPoP-Nonce: n1"], #"{"error":"use_dpop_nonce"}"#),
        .http(401, ["DPoP-Nonce: n1", #"WWW-Authenticate: DPoP error="use_dpop_nonce""#]),
        .http(401, ["DPoP-Nonce: n1"], #"{"error":"use_dpop_nonce"}"#),
        .http(
            400,
            ["dpop-nonce: n1", #"WWW-Authenticate: Basic realm="x", DPoP error=use_dpop_nonce"#],
            Self.htmlPage
        ),
    ])
    func `trap 36: a demand for a nonce is understood with status 400 and 401, as JSON and as a challenge`(
        _ demand: TinyServer.Answer
    ) async throws {
        let fixture = try Fixture(token: .inTurn([demand, Self.granted()]))
        _ = try await fixture.tokens()
        #expect(try fixture.nonces() == [nil, "n1"])
    }

    @Test func `trap 39: the nonce of a success is used for the next request`() async throws {
        let fixture = try Fixture(token: Self.granted("", ["DPoP-Nonce: n2"]))
        for _ in 0..<2 { _ = try await fixture.tokens() }
        #expect(try fixture.nonces() == [nil, "n2"])
    }

    @Test func `trap 43: a nonce of odd characters or of great length is not taken`() async throws {
        for nonce in ["a\"b", "a b", String(repeating: "n", count: 5000)] {
            let demand = TinyServer.Answer.http(400, ["DPoP-Nonce: \(nonce)"], #"{"error":"use_dpop_nonce"}"#)
            let fixture = try Fixture(token: demand)
            let error = await fixture.failure()
            #expect(error?.code == .serverRejected)
            #expect(try fixture.nonces() == [nil])
        }
    }

    // MARK: Connections

    @Test func `a connection that ends in the middle of the answer gives nothing`() async throws {
        let half = TinyServer.Answer.bytes(
            "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"access_token\":\"at\",\"token_type\":\"DPoP\"}"
        )
        let chunked = TinyServer.Answer.bytes(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n30\r\n{\"access_token\":\"at\""
        )
        let starts = [
            "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nA: b\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "220 mail ESMTP\r\n",
        ]
        for answer in [half, chunked] + starts.map({ .bytes($0) }) {
            #expect(try await Fixture(token: answer).failure()?.code == .transportFailed)
        }
    }

    @Test func `a server that never says a word is given up`() async throws {
        let fixture = try Fixture(token: .silence, timeout: .seconds(1))
        let error = await fixture.failure()
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("in time") == true)
    }

    @Test func `a server that sends a byte now and then is given up, though there is always progress`() async throws {
        let slow = TinyServer.Answer.drip(
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 1000),
            milliseconds: 20
        )
        let fixture = try Fixture(token: slow, timeout: .seconds(10), exchangeTimeout: .milliseconds(700))
        let error = await fixture.failure()
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("in time") == true)
    }

    @Test func `a slow server that ends in time is understood`() async throws {
        let answer = "HTTP/1.0 200 OK\r\n\r\n{\"access_token\":\"at\",\"token_type\":\"DPoP\"}"
        #expect(try await Fixture(token: .drip(answer, milliseconds: 1)).tokens().accessToken.value == "at")
    }

    @Test func `an answer in chunks, after one of status 100, is understood`() async throws {
        let body = #"{"access_token":"at","token_type":"DPoP"}"#
        let chunks = body.map { "1\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
        let answer = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
        #expect(try await Fixture(token: .bytes(answer)).tokens().accessToken.value == "at")
    }

    @Test func `trailers, folded lines and lines without a name are no obstacle, and a second length is`() async throws
    {
        let body = #"{"access_token":"at","token_type":"DPoP"}"#
        let trailers =
            "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nTransfer-Encoding: chunked\r\n\r\n29\r\n\(body)\r\n0\r\nX: 1\r\n\r\n"
        #expect(try await Fixture(token: .bytes(trailers)).tokens().accessToken.value == "at")
        let two = "HTTP/1.1 200 OK\r\nContent-Length: 41\r\nContent-Length: 40\r\n\r\n" + body
        #expect(try await Fixture(token: .bytes(two)).failure() != nil)
        let long = "HTTP/1.1 200 OK\r\nA: \(String(repeating: "a", count: 70_000))\r\n\r\n" + body
        #expect(try await Fixture(token: .bytes(long)).failure()?.code == .transportFailed)
    }

    @Test func `an answer beyond 64 KiB is cut off`() async throws {
        let long = Self.granted(#","x":"\#(String(repeating: "x", count: 70_000))""#)
        #expect(try await Fixture(token: long).failure()?.code == .transportFailed)
        #expect(try await Fixture(token: .endless).failure()?.code == .transportFailed)
    }

    @Test(arguments: [200, 204]) func `trap 56: a revocation without a body is a success`(_ status: Int) async throws {
        let fixture = try Fixture(others: ["/revoke": .http(status)])
        try await fixture.client.revoke(RefreshToken("rt"))
        #expect(fixture.server.requests.last?.hasPrefix("POST /revoke") == true)
    }
}
#endif
