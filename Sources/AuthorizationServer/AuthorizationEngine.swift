// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import HTTPMessage
public import JOSE
public import OAuthCore
public import OAuthSystem
public import ServerStorage

/// An authorization server without a socket: one request in, one response out.
///
/// Use it with any HTTP server that passes the request target on unchanged. Storage, keys, clock and randomness are
/// parameters.
///
/// ## Specification
///
/// OAuth 2.0 (RFC 6749) by its best current practice (RFC 9700), with PKCE (RFC 7636), DPoP (RFC 9449), pushed
/// authorization requests (RFC 9126), `iss` in responses (RFC 9207), metadata (RFC 8414), revocation (RFC 7009),
/// introspection (RFC 7662), resource indicators (RFC 8707), rich and signed authorization requests (RFC 9396, RFC
/// 9101), devices (RFC 8628), token exchange (RFC 8693), client assertions (RFC 7523) and JWT access tokens (RFC 9068).
/// With the scope `openid`, OpenID Connect: Core (code flow), Discovery, RP-Initiated Logout.
public final class AuthorizationEngine: Sendable {
    private let endpoints: [String: Endpoint]
    private let services: Services
    private let rotation: SecretRotation?
    private let problems = KeyHealth()

    /// Why no tokens can be signed, for operators; `nil` if they can.
    ///
    /// Updated by ``rotateSecrets()``.
    public var signingProblem: String? { problems.active }

    /// The public keys that verify tokens, as published by the JWKS endpoint.
    public var keySet: JWKSet { services.keySet }

    /// Sets up a server whose keys and secrets do not rotate.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - storage: Stores clients, users, grants and tokens.
    ///   - signingKey: The key that signs access tokens.
    ///   - idTokenKey: The key that signs ID tokens, unless a client is registered for the algorithm of `signingKey`;
    ///     `nil` for `signingKey`. OpenID Connect requires a key for RS256.
    ///   - replay: Stores used proofs; `nil` for `storage`, which stores them with the change that they cause. A
    ///     ``/ServerStorage/StorageReplayStore`` has the same effect as `nil`.
    ///   - nonceSecrets: The secrets of nonces, the current one first.
    ///   - passwords: Hashes passwords.
    ///   - clock: The clock.
    ///   - entropy: The source of random bytes.
    ///   - outgoing: Sends the server's own requests, to URLs that strangers choose; needed if
    ///     ``ServerConfiguration/unregisteredClients`` reads documents. It must connect to globally reachable addresses
    ///     only, and use no proxy, as `CurlTransport` does with its address policy `globallyReachable`.
    ///   - audit: Receives the events that the operator must keep for audits.
    ///   - report: Logs for operators what clients must not learn; never contains a secret.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``.
    public convenience init(
        configuration: ServerConfiguration,
        storage: any AuthorizationStorage,
        signingKey: any SigningKey,
        idTokenKey: (any SigningKey)? = nil,
        replay: (any ReplayStore)? = nil,
        nonceSecrets: [DPoPNonceSecret],
        passwords: PasswordHasher = PasswordHasher(),
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy(),
        outgoing: (any HTTPTransport)? = nil,
        audit: (any AuditSink)? = nil,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(AuthorizationServerError) {
        try self.init(
            configuration: configuration,
            storage: storage,
            keys: SigningKeySnapshot(signingKey: signingKey, idTokenKey: idTokenKey),
            rotation: nil,
            replay: replay,
            nonceSecrets: DPoPNonceSecrets(nonceSecrets),
            passwords: passwords,
            clock: clock,
            entropy: entropy,
            outgoing: outgoing,
            audit: audit,
            report: report
        )
    }

    /// Sets up a server whose keys and secrets rotate; see ``rotateSecrets()``.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - storage: Stores clients, users, grants and tokens.
    ///   - keys: The keys that sign tokens; missing ones are made.
    ///   - replay: Stores used proofs; `nil` for `storage`, which stores them with the change that they cause. A
    ///     ``/ServerStorage/StorageReplayStore`` has the same effect as `nil`.
    ///   - nonceSecrets: Stores the secrets of nonces and names the replay memory that they are made for. If `replay` is
    ///     local to this process, so must this be.
    ///   - passwords: Hashes passwords.
    ///   - clock: The clock.
    ///   - entropy: The source of random bytes.
    ///   - outgoing: Sends the server's own requests, to URLs that strangers choose; needed if
    ///     ``ServerConfiguration/unregisteredClients`` reads documents. It must connect to globally reachable addresses
    ///     only, and use no proxy, as `CurlTransport` does with its address policy `globallyReachable`.
    ///   - audit: Receives the events that the operator must keep for audits.
    ///   - report: Logs for operators what clients must not learn; never contains a secret.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``,
    ///   ``AuthorizationServerError/Code/storageFailed`` also if a stored key cannot be opened.
    public convenience init(
        configuration: ServerConfiguration,
        storage: any AuthorizationStorage,
        keys: SigningKeyRing,
        replay: (any ReplayStore)? = nil,
        nonceSecrets: any NonceSecretStore,
        passwords: PasswordHasher = PasswordHasher(),
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy(),
        outgoing: (any HTTPTransport)? = nil,
        audit: (any AuditSink)? = nil,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(AuthorizationServerError) {
        let rotation = SecretRotation(ring: keys, nonceSecrets: nonceSecrets, clock: clock, entropy: entropy)
        try self.init(
            configuration: configuration,
            storage: storage,
            keys: try await rotation.keys(),
            rotation: rotation,
            replay: replay,
            nonceSecrets: try await rotation.currentNonceSecrets(),
            passwords: passwords,
            clock: clock,
            entropy: entropy,
            outgoing: outgoing,
            audit: audit,
            report: report
        )
    }

    private init(
        configuration: ServerConfiguration,
        storage: any AuthorizationStorage,
        keys: SigningKeySnapshot,
        rotation: SecretRotation?,
        replay: (any ReplayStore)?,
        nonceSecrets: DPoPNonceSecrets,
        passwords: PasswordHasher,
        clock: any WallClock,
        entropy: any Entropy,
        outgoing: (any HTTPTransport)?,
        audit: (any AuditSink)?,
        report: @escaping @Sendable (String) -> Void
    ) throws(AuthorizationServerError) {
        try AuthorizationEngine.check(configuration, keys, canFetch: outgoing != nil)
        let rules = configuration.unregisteredClients
        let nonces = try ServerNonces(nonceSecrets)
        if let rotation { nonces.follow(rotation, report) }
        let policy = ProofPolicy(
            nonces: configuration.noncePolicy,
            // A store in memory has lost its entries from before the start.
            replayMemorySince: replay is MemoryReplayStore ? clock.now() : nil
        )
        let current = CurrentSigningKeys(keys)
        services = Services(
            configuration: configuration,
            addresses: try EndpointAddresses(issuer: configuration.issuer),
            storage: storage,
            verifier: DPoPProofVerifier(policy: policy, nonces: nonces.authorizationServer),
            replay: UsedProofs(replay),
            nonces: nonces,
            keys: current,
            tokens: TokenIssuer(configuration: configuration, keys: current, entropy: entropy),
            idTokens: IDTokenIssuer(configuration: configuration, keys: current),
            passwords: passwords,
            loginLimiter: LoginLimiter(store: storage),
            limiters: AddressLimiters(configuration.rateLimits),
            clientLimiters: ClientLimiters(configuration.rateLimits),
            userCodeLimiter: UserCodeLimiter(store: storage),
            outgoing: outgoing.map {
                OutgoingRequests(
                    $0,
                    ports: rules.documentPorts,
                    allowsInsecureLoopback: rules.allowsInsecureLoopbackDocuments,
                    limit: configuration.rateLimits.clientDocument
                )
            },
            clock: clock,
            entropy: entropy,
            report: report,
            audit: audit
        )
        self.rotation = rotation
        let table = try EndpointTable.endpoints(services)
        endpoints = Dictionary(table.map { ($0.address.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func check(
        _ configuration: ServerConfiguration,
        _ keys: SigningKeySnapshot,
        canFetch: Bool
    ) throws(AuthorizationServerError) {
        try configuration.validate()
        guard configuration.resources.allSatisfy({ keys.accessTokenKey(for: $0.signingAlgorithm) != nil }) else {
            throw AuthorizationServerError(.invalidConfiguration, "there is no key for the algorithm of an API")
        }
        guard canFetch || !configuration.unregisteredClients.documents.isOn else {
            throw AuthorizationServerError(.invalidConfiguration, "nothing fetches the metadata documents of clients")
        }
    }

    /// Rotates keys and secrets that are due, and picks up changes by other processes and operators.
    ///
    /// Call it every ``SigningKeyPolicy/refreshInterval``. Requests are handled in the meantime. If a step fails, the
    /// current keys and secrets remain in use, and the failure is logged.
    public func rotateSecrets() async {
        guard let rotation else { return }
        await lookAtKeys(of: rotation.ring)
        do throws(AuthorizationServerError) {
            services.nonces.use(try await rotation.currentNonceSecrets())
        } catch {
            services.report("the nonce secrets could not be read: \(error)")
        }
    }

    private func lookAtKeys(of ring: SigningKeyRing) async {
        var unread: AuthorizationServerError?
        do throws(AuthorizationServerError) {
            services.keys.replace(with: try await ring.refresh())
        } catch {
            unread = error
            if let published = try? await ring.publishedKeyIDs() {
                services.keys.replace(with: services.keys.now.publishing(published))
            }
        }
        let active = await ring.problem(ofKeysThatAre: .active)
        // If a device is unavailable, neither key can be reached; one report suffices.
        let next = active == nil ? await ring.problem(ofKeysThatAre: .next) : nil
        problems.note(active, as: .active, services.report)
        problems.note(next, as: .next, services.report)
        problems.note(unread, as: .rotation, services.report)
        problems.note(ring.takeUndeleted(), as: .deletion, services.report)
    }

    /// Handles a request.
    ///
    /// - Parameter request: The request, its target in origin form as it was received.
    /// - Returns: The response; every request has one.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        await respond(to: request, trace: RequestTrace())
    }

    /// Handles a request, and collects facts about it for logs.
    ///
    /// - Parameters:
    ///   - request: The request, its target in origin form as it was received. Limits per address use its
    ///     `peerAddress`, or the address that a trusted proxy forwards; without an address, they do not apply.
    ///   - trace: Collects facts about the request.
    /// - Returns: The response; every request has one.
    public func respond(to request: HTTPRequest, trace: RequestTrace) async -> HTTPResponse {
        trace.setAddresses(services.configuration.trustedProxies.addresses(of: request))
        return await trace.whileCurrent {
            var response = await respond(request, trace)
            // RFC 6797 section 7.1: on every response, whatever a browser makes of it.
            for field in fieldsOfEveryResponse.all where response.fields[field.name] == nil {
                response.fields.append(name: field.name, value: field.value)
            }
            return response
        }
    }

    /// What every response of the server has, also those that a listener in front of the engine makes itself:
    /// `Strict-Transport-Security` with an https issuer (RFC 6797 section 7.1).
    public var fieldsOfEveryResponse: HTTPFields { services.fieldsOfEveryResponse }

    private func respond(_ request: HTTPRequest, _ trace: RequestTrace) async -> HTTPResponse {
        guard let endpoint = endpoints[String(request.path)] else {
            return UnexpectedVisit.response(to: request, services) ?? .text(status: 404, "There is nothing here.\n")
        }
        trace.endpoint = endpoint.address.path
        guard endpoint.isForScripts else { return await respond(to: request, at: endpoint) }
        let access = CrossOriginAccess(methods: endpoint.allowedMethods, services: services)
        return await access.run(request) { await self.respond(to: $0, at: endpoint) }
    }

    private func respond(to request: HTTPRequest, at endpoint: Endpoint) async -> HTTPResponse {
        if let response = await endpoint.respond(to: request, services) { return response }
        if endpoint.address.path == services.addresses.login.path,
            let page = UnexpectedVisit.response(to: request, services)
        {
            return page
        }
        var response = HTTPResponse.text(status: 405, "This endpoint accepts \(endpoint.allowedMethods).\n")
        response.fields["Allow"] = endpoint.allowedMethods
        return response
    }
}
