// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import HTTPServer
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTransport
import ResourceServer
import SQLiteStorage
import ServerStorage
import StrictJSON

/// An authorization server on SQLite and an API, both on loopback ports of this machine, with one user and one app.
struct DemoServers: Sendable {
    static let username = "alice"
    static let clientID = "keybound-demo"
    /// The same app, as one of the server's own publisher: it may ask for the password itself.
    static let firstPartyClientID = "keybound-demo-own"

    let issuer: String
    let apiAddress: String
    let databasePath: String
    /// The password of the user, generated for this run.
    let password: String
    /// Speaks for the app's publisher.
    let attester: DemoAttester
    private let directory: String
    private let listeners: [HTTPListener]
    private let storage: SQLiteAuthorizationStorage

    static func start(port: UInt16, report: @escaping @Sendable (String) -> Void) async throws -> DemoServers {
        let directory = try TemporaryDirectory.make(prefix: "keybound-demo-")
        do {
            return try await start(port: port, in: directory, report: report)
        } catch {
            TemporaryDirectory.remove(directory)
            throw error
        }
    }

    private static func start(
        port: UInt16,
        in directory: String,
        report: @escaping @Sendable (String) -> Void
    ) async throws -> DemoServers {
        let (authorization, api) = (LateBoundHandler(), LateBoundHandler())
        let authorizationListener = try HTTPListener(port: port, handler: authorization.respond)
        let apiListener = try HTTPListener(port: port == 0 ? 0 : port + 1, handler: api.respond)
        let issuer = "http://127.0.0.1:\(authorizationListener.port)"
        let apiAddress = "http://127.0.0.1:\(apiListener.port)"

        let path = directory + "/keybound.db"
        let storage = try await SQLiteAuthorizationStorage(path: path)
        let password = Base64URL.encode(SystemEntropy().bytes(9))
        try await register(password: password, in: storage)
        let attester = try DemoAttester()
        let engine = try AuthorizationEngine(
            configuration: configuration(issuer: issuer, audience: apiAddress, attester),
            storage: storage,
            signingKey: SoftwareSigningKey(),
            idTokenKey: SoftwareSigningKey(generating: .rs256),
            replay: MemoryReplayStore(),
            nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())],
            report: report
        )
        authorization.set(engine.respond)
        api.set(try notesAPI(issuer: issuer, address: apiAddress).respond)
        return DemoServers(
            issuer: issuer,
            apiAddress: apiAddress,
            databasePath: path,
            password: password,
            attester: attester,
            directory: directory,
            listeners: [authorizationListener, apiListener],
            storage: storage
        )
    }

    /// A directory for the app's files, deleted with the servers.
    var keyDirectory: String { directory + "/keys" }

    func stop() async {
        for listener in listeners { await listener.stop(draining: .seconds(2)) }
        await storage.close()
        TemporaryDirectory.remove(directory)
    }

    private static func register(password: String, in storage: SQLiteAuthorizationStorage) async throws {
        let administration = ServerAdministration(storage: storage)
        _ = try await administration.addUser(username: username, password: password)
        try await administration.addClient(client(clientID))
        var own = try client(firstPartyClientID)
        own.tokenEndpointAuthMethod = .attestationWithDPoP
        own.isFirstParty = true
        own.dpopBoundAuthorizationCodes = true
        try await administration.addClient(own)
    }

    private static func client(_ clientID: String) throws -> RegisteredClient {
        RegisteredClient(
            clientID: clientID,
            name: "Keybound demo",
            redirectURIs: [DemoApp.redirectURI],
            scope: try Scope(["openid", NotesAPI.scope]),
            grantTypes: [.authorizationCode, .refreshToken, .deviceCode],
            createdAt: SystemWallClock().now()
        )
    }

    private static func configuration(
        issuer: String,
        audience: String,
        _ attester: DemoAttester
    ) throws -> ServerConfiguration {
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: issuer),
            audience: audience,
            serverName: "Keybound demo",
            scopes: [
                ScopeDescription(name: "openid"), ScopeDescription(name: NotesAPI.scope, text: "Read your notes"),
            ],
            allowsInsecureLoopbackIssuer: true
        )
        configuration.attesters = [attester.trusted(for: firstPartyClientID)]
        configuration.firstParty = FirstPartyPolicy(isOn: true)
        return configuration
    }

    /// The API knows only the address of the authorization server, and fetches its keys like any other API.
    private static func notesAPI(issuer: String, address: String) throws -> NotesAPI {
        let keys = JWKSetCache(uri: try URI(parsing: issuer + "/jwks"), transport: PlatformTransport())
        var configuration = GuardConfiguration(issuer: issuer, address: try URI(parsing: address))
        configuration.metadata = PublishedMetadata(scopes: try Scope([NotesAPI.scope]), name: "Notes of the demo")
        return try NotesAPI(requestGuard: RequestGuard(configuration: configuration, keys: keys))
    }
}
