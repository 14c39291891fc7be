// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
public import OAuthClient
import OAuthCore
public import OAuthTransport
import ServerStorage
public import SigningKeys

extension FakeAuthorizationServer {
    /// Registers a person, and gives them a browser in which nobody has signed in yet.
    ///
    /// - Parameters:
    ///   - username: What the person types, 1 to 128 characters.
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

    /// Registers a client: for an app that makes its ``/OAuthClient/OAuth2Client`` itself.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`, 1 to 128 visible ASCII characters.
    ///   - redirectURIs: Where codes may be sent; at least one.
    ///   - name: What the consent page shows.
    ///   - scopes: What the client may ask for; every scope that exists when `nil`.
    /// - Throws: ``OAuthTestingError/Code/invalidConfiguration``, also for a `clientID` that is taken.
    public func addClient(
        _ clientID: String,
        redirectURIs: [String],
        name: String = "Test app",
        scopes: [String]? = nil
    ) async throws(OAuthTestingError) {
        do {
            try await administration.addClient(
                ServerStorage.RegisteredClient(
                    clientID: clientID,
                    name: name,
                    redirectURIs: redirectURIs,
                    scope: Scope(scopes ?? room.parts.configuration.scopes.map(\.name)),
                    createdAt: clock.now()
                )
            )
        } catch {
            throw OAuthTestingError(.invalidConfiguration, "the client cannot be registered", underlying: error)
        }
    }

    /// Makes a client of this server that has the server's clock, random bytes of its own, and the server for its network;
    /// registers it when it is new.
    ///
    /// - Parameters:
    ///   - clientID: `client_id`.
    ///   - redirectURI: The redirect URI; for a client that is registered already, one of its own.
    ///   - configuration: What the client may be told.
    ///   - keyStore: Where its keys are; a ``DeterministicKeyStore`` when `nil`.
    ///   - tokenStore: Where its tokens are; give it and `keyStore` to two clients for an app that is started again.
    ///   - transport: How its requests are sent: this server, or a ``RecordingTransport`` around it.
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
        if storage.client(clientID) == nil { try await addClient(clientID, redirectURIs: [redirectURI]) }
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
                entropy: own
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
