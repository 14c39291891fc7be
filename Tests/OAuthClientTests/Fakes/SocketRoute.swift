// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import FoundationNetworking
import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import OAuthTransport

/// The way to a ``FakeServer`` over a real socket, as through a proxy that ends TLS: what is for its https origin goes to a
/// listener on loopback, through the transport that apps use.
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
        var routed = request
        routed.target = try address(request.target)
        return try await network.send(routed, maximumBodySize: maximumBodySize)
    }

    func data(for request: URLRequest) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        try await network.data(for: routed(request))
    }

    func upload(
        for request: URLRequest,
        fromFile file: URL
    ) async throws(OAuthCoreError) -> (Data, HTTPURLResponse) {
        try await network.upload(for: routed(request), fromFile: file)
    }

    func bytes(for request: URLRequest) async throws(OAuthCoreError) -> (ResponseBytes, HTTPURLResponse) {
        try await network.bytes(for: routed(request))
    }

    private func address(_ target: String) throws(OAuthCoreError) -> String {
        guard target.hasPrefix(FakeServer.issuer + "/") else {
            throw OAuthCoreError(.transportFailed, "there is no way to another server")
        }
        return base + target.dropFirst(FakeServer.issuer.count)
    }

    private func routed(_ request: URLRequest) throws(OAuthCoreError) -> URLRequest {
        var routed = request
        do {
            routed.url = URL(string: try address(request.url?.absoluteString ?? ""))
        } catch {
            throw OAuthCoreError(.transportFailed, error.reason)
        }
        return routed
    }
}
#endif
