// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import ResourceServer
import ServerStorage
import StrictJSON

/// An authorization server of ours with one person and one client, and an API that believes it.
struct KeyboundServer {
    private static let scope = "notes:read"
    private static let clientID = "interop-client"
    private static let deviceClientID = "interop-device"
    private static let serviceClientID = "interop-service"
    private static let username = "alice"
    /// Registered without a port: any port of the loopback address will do (RFC 8252 section 7.3).
    private static let redirectURI = "http://127.0.0.1/callback"

    private let issuer: String
    private let apiAddress: String
    private let requestedScope: String
    private let password: String
    private let serviceSecret: String
    private let listeners: [HTTPListener]

    /// Starts both servers on free loopback ports.
    ///
    /// - Parameter requiresDPoP: Whether tokens must be bound to a key. Without it the server gives Bearer tokens, which the
    ///   API and userinfo take as long as they are bound to nothing (RFC 6750). It is an OpenID provider then.
    /// - Returns: The servers, running.
    /// - Throws: What goes wrong when they start.
    static func start(requiresDPoP: Bool) async throws -> KeyboundServer {
        let (authorization, api) = (LateBoundHandler(), LateBoundHandler())
        let authorizationListener = try HTTPListener(port: 0, handler: authorization.respond)
        let apiListener = try HTTPListener(port: 0, handler: api.respond)
        let issuer = "http://127.0.0.1:\(authorizationListener.port)"
        let apiAddress = "http://127.0.0.1:\(apiListener.port)"
        let password = Base64URL.encode(SystemEntropy().bytes(9))
        let storage = MemoryAuthorizationStorage()
        try await register(password: password, requiresDPoP: requiresDPoP, in: storage)
        let secret = try await registerServiceAndDevice(audience: apiAddress, in: storage)
        let engine = try AuthorizationEngine(
            configuration: configuration(issuer: issuer, audience: apiAddress, requiresDPoP: requiresDPoP),
            storage: storage,
            signingKey: SoftwareSigningKey(),
            idTokenKey: requiresDPoP ? nil : SoftwareSigningKey(generating: .rs256),
            replay: MemoryReplayStore(),
            nonceSecrets: [DPoPNonceSecret(entropy: SystemEntropy())]
        )
        authorization.set(engine.respond)
        let keys = JWKSetCache(uri: try URI(parsing: issuer + "/jwks"), transport: PlatformTransport())
        var guarding = GuardConfiguration(issuer: issuer, address: try URI(parsing: apiAddress))
        guarding.acceptsTokensThatAreBoundToNothing = !requiresDPoP
        let notes = NotesAPI(
            requestGuard: try RequestGuard(configuration: guarding, keys: keys),
            needed: try Scope([scope])
        )
        api.set(notes.respond)
        return KeyboundServer(
            issuer: issuer,
            apiAddress: apiAddress,
            requestedScope: requestedScope(requiresDPoP: requiresDPoP),
            password: password,
            serviceSecret: secret,
            listeners: [authorizationListener, apiListener]
        )
    }

    /// What a client must know.
    var description: JSONObject {
        [
            "issuer": .string(issuer), "api": .string(apiAddress + "/notes"), "scope": .string(requestedScope),
            "client_id": .string(Self.clientID), "redirect_uri": .string(Self.redirectURI),
            "username": .string(Self.username), "password": .string(password),
            "device_client_id": .string(Self.deviceClientID), "service_client_id": .string(Self.serviceClientID),
            "service_secret": .string(serviceSecret),
        ]
    }

    func stop() async {
        for listener in listeners { await listener.stop(draining: .seconds(1)) }
    }

    private static func register(
        password: String,
        requiresDPoP: Bool,
        in storage: MemoryAuthorizationStorage
    ) async throws {
        let administration = ServerAdministration(storage: storage)
        _ = try await administration.addUser(username: username, password: password)
        try await administration.addClient(
            RegisteredClient(
                clientID: clientID,
                name: "A client of another author",
                redirectURIs: [redirectURI],
                scope: Scope(parsing: requestedScope(requiresDPoP: requiresDPoP)),
                dpopBoundAccessTokens: requiresDPoP,
                createdAt: SystemWallClock().now()
            )
        )
    }

    /// Registers a device, and a service that is the server of the API and trusted with tokens of others.
    ///
    /// - Returns: The secret of the service.
    private static func registerServiceAndDevice(
        audience: String,
        in storage: MemoryAuthorizationStorage
    ) async throws -> String {
        let administration = ServerAdministration(storage: storage)
        let secret = administration.makeClientSecret()
        try await administration.addClient(
            RegisteredClient(
                clientID: deviceClientID,
                name: "A television of another author",
                redirectURIs: [],
                scope: Scope([scope]),
                grantTypes: [.deviceCode, .refreshToken],
                createdAt: SystemWallClock().now()
            )
        )
        try await administration.addClient(
            RegisteredClient(
                clientID: serviceClientID,
                name: "A service of another author",
                redirectURIs: [],
                scope: Scope([scope]),
                tokenEndpointAuthMethod: .clientSecretBasic,
                secretHashes: [SecretHash(of: secret.value)],
                grantTypes: [.clientCredentials, .tokenExchange],
                introspectionAudiences: [audience],
                tokenExchangeRights: [.subjectTokensBoundToKeysOfOthers],
                createdAt: SystemWallClock().now()
            )
        )
        return secret.value
    }

    private static func requestedScope(requiresDPoP: Bool) -> String {
        requiresDPoP ? scope : "openid \(scope)"
    }

    private static func configuration(
        issuer: String,
        audience: String,
        requiresDPoP: Bool
    ) throws -> ServerConfiguration {
        ServerConfiguration(
            issuer: try URI(parsing: issuer),
            audience: audience,
            scopes: [ScopeDescription(name: scope, text: "Read your notes")]
                + (requiresDPoP ? [] : [ScopeDescription(name: "openid")]),
            requireDPoP: requiresDPoP,
            allowsInsecureLoopbackIssuer: true
        )
    }
}
