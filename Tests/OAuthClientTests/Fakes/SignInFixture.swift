// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthClient
import OAuthCore
import OAuthTransport
import SigningKeys
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client with dependencies that the test controls.
struct SignInFixture {
    /// How the client reaches the server.
    enum Route {
        case memory
        /// Requests to other origins go over the network.
        case memoryBesideNetwork
        #if os(Linux)
        /// Over a real socket; see ``SocketRoute``.
        case socket
        #endif

        fileprivate func transport(to server: FakeServer) throws -> any ClientTransport {
            switch self {
            case .memory: server
            case .memoryBesideNetwork: SplitTransport(server: server)
            #if os(Linux)
            case .socket: try SocketRoute(to: server)
            #endif
            }
        }
    }

    let server: FakeServer
    let clock = FixedClock()
    let elapsed = FixedElapsedTime()
    let sleeper = SleepingClock()
    let tokenStore = MemoryTokenStore()
    let keyStore: any KeyStore
    let client: OAuth2Client

    init(
        clientID: String = "my-app",
        redirectURI: String = "com.example.app:/callback",
        tokenStore: (any TokenStore)? = nil,
        keyStore: any KeyStore = MemoryKeyStore(),
        server: FakeServer = FakeServer(),
        seed: UInt64 = 1,
        context: ServerContext? = nil,
        route: Route = .memory,
        _ configure: (inout OAuth2ClientConfiguration) throws -> Void = { _ in }
    ) throws {
        var configuration = OAuth2ClientConfiguration()
        try configure(&configuration)
        self.keyStore = keyStore
        self.server = server
        client = try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: clientID,
            redirectURI: redirectURI,
            configuration: configuration,
            keyStore: keyStore,
            tokenStore: tokenStore ?? self.tokenStore,
            transport: route.transport(to: server),
            clock: clock,
            monotonicClock: elapsed,
            entropy: SeededEntropy(seed: seed),
            sleepingOn: sleeper,
            sharing: context
        )
    }

    /// A session after a regular sign-in.
    func session(scopes: [String] = ["api:read"]) async throws -> OAuthSession {
        try await client.signIn(scopes: scopes, using: ApprovingUser(server: server))
    }

    /// Advances all clocks together.
    func pass(_ duration: Duration) {
        clock.advance(by: duration)
        elapsed.advance(by: duration)
    }

    func get(_ session: OAuthSession, _ url: String = FakeServer.api) async throws -> (body: String, status: Int) {
        try await send(session, URLRequest(url: URL(string: url) ?? URL(filePath: "/")))
    }

    func send(_ session: OAuthSession, _ request: URLRequest) async throws -> (body: String, status: Int) {
        let (data, response) = try await session.data(for: request)
        return (String(decoding: data, as: UTF8.self), (response as? HTTPURLResponse)?.statusCode ?? 0)
    }
}

/// A user who consents, in a browser without pages.
struct ApprovingUser: UserAgent {
    let server: FakeServer

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        try await AuthorizationCallback(url: server.approve(makeRequest(redirectURI)))
    }
}

/// The error that an operation of the client throws; `nil` when it throws none.
func clientError(_ operation: () async throws -> Void) async -> OAuthClientError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? OAuthClientError
    }
}
