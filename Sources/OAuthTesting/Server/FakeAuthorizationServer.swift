// SPDX-License-Identifier: Apache-2.0

public import AuthorizationServer
public import HTTPMessage
public import OAuthCore
public import OAuthTransport
public import ServerStorage

/// An authorization server in the process of a test: the real engine behind the transport of a client, without a
/// socket.
///
/// ```swift
/// let server = try await FakeAuthorizationServer(issuer: "https://auth.example")
/// let client = try await server.makeClient(clientID: "my-app", redirectURI: "com.example.app:/callback")
/// let session = try await client.signIn(scopes: ["api:read"], using: server.userAgent)
/// ```
///
/// Clients that are registered as first-party may also sign users in without a browser, attested or not.
///
/// Pushed requests, PKCE, proofs, nonces, pages, rotation of refresh tokens and revocation are those of
/// ``/AuthorizationServer/AuthorizationEngine``; its storage is in memory. Only two things differ: password hashing
/// takes no time, so that a sign-in takes milliseconds, and access tokens live for 120 s. Time passes only when
/// ``clock`` is moved.
///
/// Requests to other hosts fail, except to a ``FakeResourceServer`` that was set up for it.
public final class FakeAuthorizationServer: ClientTransport {
    /// The issuer identifier.
    public let issuer: String
    /// The address of the API for which access tokens are issued: `aud`.
    public let apiAddress: String
    /// The time, for the server, its clients and its APIs.
    public let clock: TestClock
    /// The source of all random values.
    public let entropy: DeterministicEntropy
    /// The browser of a user named `ada`, who has an account.
    public let userAgent: FakeUserAgent
    /// The same user, asked by the app itself.
    ///
    /// For clients of ``registerFirstPartyClient(_:redirectURIs:name:scopes:authenticatingBy:)``.
    public let prompter: FakePrompter
    let network: FakeNetwork
    let room: TestServerHost
    let clientCount = ClientCount()
    /// The same for access tokens without a sign-in, each with its own `jti`.
    let tokenCount = ClientCount()

    /// Sets up a server with one user, `ada`, and no client.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier: an https URL without query, fragment and trailing slash.
    ///   - apiAddress: The address of the API for which access tokens are issued.
    ///   - scopes: The scopes that exist.
    ///   - clock: The time.
    ///   - entropy: The source of keys, codes, tokens and nonces.
    ///   - configure: Changes settings that an operator would choose, such as lifetimes.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration``.
    public init(
        issuer: String = "https://auth.example",
        apiAddress: String = "https://api.example",
        scopes: [String] = ["api:read", "api:write"],
        clock: TestClock = TestClock(),
        entropy: DeterministicEntropy = DeterministicEntropy(),
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws(OAuthTestingError) {
        let network = FakeNetwork(clock: clock)
        do {
            let uri = try URI(parsing: issuer)
            var configuration = ServerConfiguration(
                issuer: uri,
                audience: apiAddress,
                scopes: scopes.map { ScopeDescription(name: $0) }
            )
            // A client's nonces outlive its access tokens, so that an injected fault affects the refresh and not a
            // proof before it.
            configuration.lifetimes.accessToken = .seconds(120)
            configuration.firstParty = FirstPartyPolicy(isOn: true, allowsUnattestedClients: true)
            configure(&configuration)
            room = try TestServerHost(ServerState(configuration, clock: clock, entropy: entropy.separate("server")))
            _ = network.add(room, at: configuration.issuer.origin ?? issuer)
            self.issuer = configuration.issuer.description
            self.apiAddress = configuration.audience
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the server cannot be set up", underlying: error)
        }
        self.clock = clock
        self.entropy = entropy
        self.network = network
        userAgent = FakeUserAgent(username: "ada", password: Self.defaultPassword, transport: network)
        prompter = FakePrompter(username: "ada", password: Self.defaultPassword)
        try await register("ada", password: Self.defaultPassword)
    }

    /// The log of the server, as an operator would read it; never contains a secret.
    public var reports: [String] { room.parts.reports.all }

    /// The storage of the server.
    public var storage: MemoryAuthorizationStorage { room.parts.storage }

    /// Sends a request to this server, or to one of the APIs that were set up for it.
    ///
    /// - Parameters:
    ///   - request: The request with an absolute-form target.
    ///   - maximumBodySize: The maximum size of the response body in bytes.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed`` for an unknown host, and for an injected fault;
    ///   ``/OAuthCore/OAuthCoreError/Code/cancelled``.
    public func send(
        _ request: HTTPRequest,
        maximumBodySize: Int
    ) async throws(OAuthCoreError) -> HTTPResponse {
        try await network.send(request, maximumBodySize: maximumBodySize)
    }

    /// The password of users without one of their own, including `ada`.
    public static let defaultPassword = "correct horse battery staple"
}
