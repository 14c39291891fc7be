// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthTransport
import Synchronization

/// A network in which a test decides which node a client reaches: all have one issuer, as behind a load balancer.
final class NodeSwitch: ClientTransport {
    private struct State {
        var port: UInt16
        var lastTokenRequest: HTTPRequest?
        var holdsTokenRequests = false
    }

    private let issuer: String
    private let state: Mutex<State>
    private let network = PlatformTransport()

    /// Sends requests to an issuer to a port of this machine.
    init(issuer: String, port: UInt16) {
        self.issuer = issuer
        state = Mutex(State(port: port))
    }

    /// The last request to the token endpoint.
    var lastTokenRequest: HTTPRequest? { state.withLock { $0.lastTokenRequest } }

    /// Sends what follows to another node.
    func use(_ port: UInt16) {
        state.withLock { $0.port = port }
    }

    /// Keeps what follows for the token endpoint from being sent; it is the last request.
    func hold(_ isHeld: Bool) {
        state.withLock { $0.holdsTokenRequests = isHeld }
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        let (port, isHeld) = state.withLock { state in
            let isForToken = request.path.hasSuffix("/token")
            if isForToken { state.lastTokenRequest = request }
            return (state.port, isForToken && state.holdsTokenRequests)
        }
        guard !isHeld else { throw OAuthCoreError(.transportFailed, "the test holds this request") }
        return try await send(request, to: port, maximumBodySize: maximumBodySize)
    }

    /// Sends a request of the client to a node.
    func send(
        _ request: HTTPRequest,
        to port: UInt16,
        maximumBodySize: Int = 65536
    ) async throws(OAuthCoreError) -> HTTPResponse {
        var request = request
        if request.target.hasPrefix(issuer) {
            request.target = "http://127.0.0.1:\(port)" + request.target.dropFirst(issuer.count)
        }
        return try await network.send(request, maximumBodySize: maximumBodySize)
    }
}
