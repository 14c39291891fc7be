// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
public import OAuthClient
public import OAuthCore
public import OAuthTransport
import ServerStorage
public import SigningKeys

extension FakeAuthorizationServer {
    /// Registers a user, with a browser in which the user is not signed in yet.
    ///
    /// - Parameters:
    ///   - username: The login name, 1 to 128 characters.
    ///   - password: The password, 8 to 1024 bytes.
    /// - Returns: The browser.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration``, also for a name that is taken.
    @discardableResult
    public func addPerson(
        _ username: String,
        password: String = FakeAuthorizationServer.defaultPassword
    ) async throws(OAuthTestingError) -> FakeUserAgent {
        try await register(username, password: password)
        return FakeUserAgent(username: username, password: password, transport: network)
    }

    /// Registers a client, for an app that makes its own ``/OAuthClient/OAuth2Client``.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`, 1 to 128 visible ASCII characters.
    ///   - redirectURIs: Where codes may be sent; at least one.
    ///   - name: The name on the consent page.
    ///   - scopes: What the client may request; `nil` for every scope that exists.
    ///   - method: How it authenticates: not at all, or by attestation.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration``, also for a `clientID` that is taken.
    public func addClient(
        _ clientID: String,
        redirectURIs: [String],
        name: String = "Test app",
        scopes: [String]? = nil,
        authenticatingBy method: ClientAuthenticationMethod = .none
    ) async throws(OAuthTestingError) {
        try await add(
            ServerStorage.RegisteredClient(
                clientID: clientID,
                name: name,
                redirectURIs: redirectURIs,
                scope: try scope(scopes),
                tokenEndpointAuthMethod: method,
                createdAt: clock.now()
            )
        )
    }

    /// Registers a client of the server's own publisher, which may sign users in without a browser
    /// (``/OAuthClient/OAuth2Client/startFirstPartySignIn(scopes:loginHint:options:)``).
    ///
    /// - Parameters:
    ///   - clientID: `client_id`, 1 to 128 visible ASCII characters.
    ///   - redirectURIs: Where codes may be sent when the browser takes over; at least one.
    ///   - name: The name on the consent page.
    ///   - scopes: What the client may request; `nil` for every scope that exists.
    ///   - method: How the client authenticates: `.attestationWithDPoP` with a ``SoftwareAttester`` that the server trusts.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration``, also for a `clientID` that is taken.
    public func registerFirstPartyClient(
        _ clientID: String = "my-app",
        redirectURIs: [String] = ["com.example.app:/callback"],
        name: String = "Test app",
        scopes: [String]? = nil,
        authenticatingBy method: ClientAuthenticationMethod = .none
    ) async throws(OAuthTestingError) {
        var client = ServerStorage.RegisteredClient(
            clientID: clientID,
            name: name,
            redirectURIs: redirectURIs,
            scope: try scope(scopes),
            tokenEndpointAuthMethod: method,
            createdAt: clock.now()
        )
        client.isFirstParty = true
        client.dpopBoundAuthorizationCodes = true
        try await add(client)
    }

    private func scope(_ tokens: [String]?) throws(OAuthTestingError) -> Scope {
        do {
            return try Scope(tokens ?? room.parts.configuration.scopes.map(\.name))
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the client cannot be registered", underlying: error)
        }
    }

    private func add(_ client: ServerStorage.RegisteredClient) async throws(OAuthTestingError) {
        do {
            try await administration.addClient(client)
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the client cannot be registered", underlying: error)
        }
    }

    /// Makes a client of this server, and registers it if it is new.
    ///
    /// The client has the server's clock, its own random bytes, and the server as its network. When it waits before it sends a
    /// request again, it moves the clock, and no time passes.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - redirectURI: The redirect URI; for a registered client, one of its redirect URIs.
    ///   - configuration: The configuration of the client.
    ///   - keyStore: The store of its keys; `nil` for a ``DeterministicKeyStore``.
    ///   - tokenStore: The store of its tokens. Give it and `keyStore` to two clients to simulate a restart of the app.
    ///   - transport: Sends its requests: this server, or a ``RecordingTransport`` around it.
    /// - Returns: The client.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration``.
    public func makeClient(
        clientID: String = "my-app",
        redirectURI: String = "com.example.app:/callback",
        configuration: OAuth2ClientConfiguration = OAuth2ClientConfiguration(),
        keyStore: (any KeyStore)? = nil,
        tokenStore: any TokenStore = MemoryTokenStore(),
        transport: (any ClientTransport)? = nil
    ) async throws(OAuthTestingError) -> OAuth2Client {
        if storage.client(clientID) == nil {
            let method = configuration.clientAuthentication.method
            try await addClient(
                clientID,
                redirectURIs: [redirectURI],
                authenticatingBy: method == .attestationWithDPoP ? method : .none
            )
        }
        let own = entropy.separate("client \(clientCount.next())")
        do {
            return try OAuth2Client(
                issuer: issuer,
                clientID: clientID,
                redirectURI: redirectURI,
                configuration: configuration,
                keyStore: keyStore ?? DeterministicKeyStore(own.separate("keys")),
                tokenStore: tokenStore,
                transport: transport ?? self,
                clock: clock,
                monotonicClock: clock,
                entropy: own,
                sleepingOn: WaitlessClock(clock: clock)
            )
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the client cannot be made", underlying: error)
        }
    }

    func register(_ username: String, password: String) async throws(OAuthTestingError) {
        do {
            _ = try await administration.addUser(username: username, password: password)
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the person cannot be registered", underlying: error)
        }
    }

    private var administration: ServerAdministration {
        ServerAdministration(
            storage: storage,
            passwords: room.parts.passwords,
            clock: clock,
            entropy: entropy.separate("people \(clientCount.next())")
        )
    }
}
