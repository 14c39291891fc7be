// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import OAuthTransport

/// The route to a ``FakeServer`` over a real socket, as through a proxy that terminates TLS.
///
/// Requests to its https origin go to a listener on loopback, through the transport that apps use.
final class SocketRoute: ClientTransport {
    private let network = PlatformTransport()
    private let listener: HTTPListener
    private let base: String

    init(to server: FakeServer) throws {
        listener = try HTTPListener(port: 0, threads: 1) { request in
            var absolute = request
            absolute.target = FakeServer.issuer + request.target
            do {
                return try await server.send(absolute, maximumBodySize: 65_536)
            } catch {
                return HTTPResponse(status: 502)
            }
        }
        base = "http://127.0.0.1:\(listener.port)"
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        try await network.send(routed(request), maximumBodySize: maximumBodySize)
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        try await network.open(routed(request), body: body, timeout: timeout)
    }

    private func routed(_ request: HTTPRequest) throws(OAuthCoreError) -> HTTPRequest {
        guard request.target.hasPrefix(FakeServer.issuer + "/") else {
            throw OAuthCoreError(.transportFailed, "there is no way to another server")
        }
        var routed = request
        routed.target = base + request.target.dropFirst(FakeServer.issuer.count)
        return routed
    }
}
#endif
