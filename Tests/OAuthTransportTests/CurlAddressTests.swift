// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCore
import OAuthTransport
import SocketSupport
import TestSupport
import Testing

@Suite("The transport on libcurl: which addresses it connects to", .timeLimit(.minutes(2)))
struct CurlAddressTests {
    @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])
    func `an address that only this machine reaches is not connected to, by whatever name`(host: String) async throws {
        let server = try await PythonServer(.tls)
        var configuration = CurlTransportConfiguration()
        configuration.addresses = .globallyReachable()
        // It would connect for the transport.
        configuration.proxy = server.base
        let transport = CurlTransport(configuration)
        let port = try #require(URI(parsing: server.base).port)
        await #expect {
            try await transport.send(HTTPRequest(target: "https://\(host):\(port)/"), maximumBodySize: 100)
        } throws: { error in
            (error as? OAuthCoreError)?.reason == "the server has an address that not everybody on the Internet reaches"
        }
        #expect(server.events.isEmpty)
    }

    @Test func `an exception is connected to`() async throws {
        let server = try await PythonServer(.tls)
        let exception = try #require(IPAddressRange(parsing: "127.0.0.0/8"))
        var configuration = CurlTransportConfiguration()
        configuration.addresses = .globallyReachable(exceptions: [exception])
        configuration.certificateAuthorityFile = server.authorityFile
        let transport = CurlTransport(configuration)
        let response = try await transport.send(HTTPRequest(target: server.base), maximumBodySize: 100)
        #expect(response.body == Array("ok".utf8))
    }
}
#endif
