// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import OAuthTransport
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An API on a real socket that responds as a test says, and a client with a session at an authorization server in
/// memory.
final class SocketAPI: Sendable {
    /// A received request.
    struct Seen: Sendable {
        let request: HTTPRequest
        let proof: ReceivedProof?
        let token: String
    }

    typealias Script = @Sendable (_ seen: Seen, _ number: Int) async -> HTTPResponse

    let base: String
    let fixture: SignInFixture
    let session: OAuthSession
    private let listener: HTTPListener
    private let log = Mutex<[Seen]>([])

    /// Starts the API and signs in.
    init(
        followingRedirects follows: Bool = false,
        _ script: @escaping Script
    ) async throws {
        let holder = Holder()
        var limits = HTTPListenerLimits()
        limits.bodySize = 4 << 20
        // For streams of unknown length.
        limits.acceptsChunkedBodies = true
        listener = try HTTPListener(port: 0, limits: limits) { request in
            await holder.api?.answer(request, script) ?? HTTPResponse(status: 503)
        }
        base = "http://127.0.0.1:\(listener.port)"
        fixture = try SignInFixture(route: .memoryBesideNetwork) {
            $0.allowsInsecureHTTPOnLoopback = true
            $0.followsRedirectsWithinOneOriginWithNewProofs = follows
        }
        session = try await fixture.session()
        holder.api = self
    }

    /// The requests received so far.
    var seen: [Seen] { log.withLock { $0 } }

    func request(_ path: String, method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: base + path)))
        request.httpMethod = method
        return request
    }

    private func answer(_ request: HTTPRequest, _ script: Script) async -> HTTPResponse {
        let token = request.fields["Authorization"].flatMap { try? Credentials.parse($0) }?.token68 ?? ""
        var absolute = request
        absolute.target = base + request.target
        let proof = (try? URI(parsing: absolute.target)).flatMap {
            try? ReceivedProof(absolute, $0, accessToken: token)
        }
        let seen = Seen(request: request, proof: proof, token: token)
        let number = log.withLock { log in
            log.append(seen)
            return log.count
        }
        return await script(seen, number)
    }

    private final class Holder: Sendable {
        private let stored = Mutex<WeakAPI>(WeakAPI())

        var api: SocketAPI? {
            get { stored.withLock { $0.api } }
            set { stored.withLock { $0.api = newValue } }
        }
    }

    private struct WeakAPI: Sendable {
        weak var api: SocketAPI?
    }
}

/// Sends requests for the authorization server to one in memory, and all others over the network.
struct SplitTransport: ClientTransport {
    let server: FakeServer
    let network = PlatformTransport()

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        guard request.target.hasPrefix(FakeServer.issuer) else {
            return try await network.send(request, maximumBodySize: maximumBodySize)
        }
        return try await server.send(request, maximumBodySize: maximumBodySize)
    }

    func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        try await network.open(request, body: body, timeout: timeout)
    }
}
