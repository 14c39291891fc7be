// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import Testing

@testable import KeyboundCommand

@Suite("Gateway: the check of what reaches the API")
struct GatewayEchoCheckTests {
    /// An API that returns its host, which is called like the protocol, and the one field that its proxy lets through.
    private struct API: HTTPTransport {
        let passed: String

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            guard request.target.hasSuffix("/echo") else { return HTTPResponse(status: 401) }
            let lines = request.fields.all.filter { $0.name == passed }.map { "\($0.name): \($0.value)\n" }
            return HTTPResponse(status: 200, body: Array(("Host: h2c.example.com\n" + lines.joined()).utf8))
        }
    }

    @Test(arguments: ["none", "Upgrade", "HTTP2-Settings"])
    func `what asks for HTTP/2 is told from a host with that name`(_ passed: String) async throws {
        let api = API(passed: passed)
        let url = CheckedURL(url: try URI(parsing: "https://h2c.example.com/notes"), transport: api, changing: api)
        let findings = try await GatewayCheck(url, echoPath: "/echo").findings()
        let finding = try #require(findings.first { $0.name == "a change to HTTP/2 (h2c) at the API" })
        #expect(finding.verdict == (passed == "none" ? .ok : .weak))
    }

    @Test(arguments: ["none", "Connection"])
    func `what the client lists in Connection must not reach the API`(_ passed: String) async throws {
        let api = API(passed: passed)
        let url = CheckedURL(url: try URI(parsing: "https://api.example.com/notes"), transport: api, changing: api)
        let findings = try await GatewayCheck(url, echoPath: "/echo").findings()
        let finding = try #require(findings.first { $0.name == "Connection at the API" })
        #expect(finding.verdict == (passed == "none" ? .ok : .weak))
    }
}
