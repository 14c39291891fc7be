// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCore
import SocketSupport
import TestSupport
import Testing

@testable import OAuthTransport

/// RFC 9110 section 7.8: a server may change the protocol of a connection, which only HTTP/1.1 knows.
@Suite("The transport on libcurl: 101 Switching Protocols", .timeLimit(.minutes(2)))
struct ProtocolChangeTests {
    private func transport(_ configure: (inout CurlTransportConfiguration) -> Void) -> CurlTransport {
        var configuration = CurlTransportConfiguration()
        configuration.proxy = ""
        configure(&configuration)
        return CurlTransport(configuration)
    }

    private func send(_ transport: CurlTransport, to base: String) async throws(OAuthCoreError) -> HTTPResponse {
        try await transport.send(HTTPRequest(method: "GET", target: base + "/a"), maximumBodySize: 100)
    }

    @Test func `where it is allowed, requests go over HTTP 1 1, and what follows 101 is not waited for`() async throws {
        let server = try await PythonServer(.changesProtocol)
        let usual = transport { $0.certificateAuthorityFile = server.authorityFile }
        await #expect(throws: OAuthCoreError.self) { try await send(usual, to: server.base) }
        let changing = transport { configuration in
            configuration.certificateAuthorityFile = server.authorityFile
            configuration.allowsProtocolChange = true
        }
        let response = try await send(changing, to: server.base)
        #expect(response.status == 101)
        #expect(response.fields["Upgrade"] == "h2c")
        #expect(response.body.isEmpty)
        #expect(try await server.events(2) == ["PRI * HTTP/2.0", "GET /a HTTP/1.1"])
    }

    @Test func `where it is not allowed, 101 is an error`() async throws {
        let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
        let server = try TinyServer(["/a": .bytes(head)])
        await #expect(throws: OAuthCoreError.self) { try await send(transport { _ in }, to: server.base) }
        let response = try await send(transport { $0.allowsProtocolChange = true }, to: server.base)
        #expect(response.status == 101)
    }
}
#endif
