// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import HTTPMessage
public import JOSE

/// An authorization server without a socket: one request in, one response out.
///
/// Give it to any HTTP server that keeps the request target as it was received. What it stores, signs with, and takes time
/// and randomness from are parameters.
///
/// ## Specification
///
/// OAuth 2.0 (RFC 6749) by its best current practice (RFC 9700), with PKCE (RFC 7636), DPoP (RFC 9449), pushed
/// authorization requests (RFC 9126), `iss` in responses (RFC 9207), metadata (RFC 8414), revocation (RFC 7009) and JWT
/// access tokens (RFC 9068). With the scope `openid`, OpenID Connect: Core (code flow), Discovery, RP-Initiated Logout.
public final class AuthorizationEngine: Sendable {
    private let endpoints: [String: Endpoint]
    private let services: Services
    /// The public keys that tokens can be checked with, as the JWKS endpoint publishes them.
    public let keySet: JWKSet

    /// Sets up a server.
    ///
    /// - Parameters:
    ///   - configuration: What the operator decided.
    ///   - storage: Where clients, people, grants and tokens are kept.
    ///   - signingKey: The key that signs access tokens.
    ///   - idTokenKey: The key that signs id_tokens, unless a client is registered for the algorithm of `signingKey`; `nil`
    ///     for that one. OpenID Connect demands one of RS256.
    ///   - replay: Where used proofs are remembered.
    ///   - nonceSecrets: The secrets that nonces are made with, the one in use first.
    ///   - passwords: Who hashes passwords.
    ///   - clock: The time.
    ///   - entropy: Where random bytes come from.
    ///   - audit: Who keeps what the operator may have to answer for.
    ///   - report: Called with what operators should know and clients are not told; never holds a secret.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``.
    public init(
        configuration: ServerConfiguration,
        storage: any AuthorizationStorage,
        signingKey: any SigningKey,
        idTokenKey: (any SigningKey)? = nil,
        replay: any ReplayStore,
        nonceSecrets: [DPoPNonceSecret],
        passwords: PasswordHasher = PasswordHasher(),
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy(),
        audit: (any AuditSink)? = nil,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(AuthorizationServerError) {
        try configuration.validate()
        guard !nonceSecrets.isEmpty, nonceSecrets.allSatisfy(\.isStrong) else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "nonces are made with secrets of 32 bytes, one at least"
            )
        }
        let policy = ProofPolicy(
            nonces: configuration.noncePolicy,
            // What a store in memory held before the start is gone.
            replayMemorySince: replay is MemoryReplayStore ? clock.now() : nil
        )
        let tokens = TokenIssuer(configuration: configuration, key: signingKey, entropy: entropy)
        let services = Services(
            configuration: configuration,
            addresses: try EndpointAddresses(issuer: configuration.issuer),
            storage: storage,
            verifier: DPoPProofVerifier(
                policy: policy,
                nonces: DPoPNonceIssuer(role: .authorizationServer, secrets: nonceSecrets)
            ),
            replay: replay,
            pushedReplay: MemoryReplayStore(capacity: 200_000),
            tokens: tokens,
            idTokens: IDTokenIssuer(configuration: configuration, keys: Self.idTokenKeys(idTokenKey, signingKey)),
            passwords: passwords,
            loginLimiter: LoginLimiter(),
            limiters: AddressLimiters(configuration.rateLimits),
            clock: clock,
            entropy: entropy,
            report: report,
            audit: audit
        )
        self.services = services
        keySet = services.keySet
        let table = try EndpointTable.endpoints(services, nonceSecrets: nonceSecrets)
        endpoints = Dictionary(table.map { ($0.address.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// One key for each algorithm, the one for most clients first.
    private static func idTokenKeys(_ own: (any SigningKey)?, _ other: any SigningKey) -> [any SigningKey] {
        guard let own else { return [other] }
        return own.algorithm == other.algorithm ? [own] : [own, other]
    }

    /// Answers a request.
    ///
    /// - Parameter request: The request, its target in origin form as it was received.
    /// - Returns: The response; every request has one.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        await respond(to: request, trace: RequestTrace())
    }

    /// Answers a request, and notes what logs want to know of it.
    ///
    /// - Parameters:
    ///   - request: The request, its target in origin form as it was received. Limits count by its
    ///     `peerAddress`, or by what a trusted proxy says; without one nobody is limited by address.
    ///   - trace: Where to note what becomes known of the request.
    /// - Returns: The response; every request has one.
    public func respond(to request: HTTPRequest, trace: RequestTrace) async -> HTTPResponse {
        trace.clientAddress = services.configuration.trustedProxies.clientAddress(of: request)
        return await trace.whileCurrent { await answer(request, trace) }
    }

    private func answer(_ request: HTTPRequest, _ trace: RequestTrace) async -> HTTPResponse {
        guard let endpoint = endpoints[String(request.path)] else {
            return .text(status: 404, "There is nothing here.\n")
        }
        trace.endpoint = endpoint.address.path
        // RFC 9110 section 9.3.2: HEAD is GET of which the listener leaves the body out.
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let action = endpoint.actions[method] else {
            var response = HTTPResponse.text(status: 405, "This address takes \(endpoint.allowedMethods).\n")
            response.fields["Allow"] = endpoint.allowedMethods
            return response
        }
        guard let limit = endpoint.limit else { return await action(request) }
        return await limit.run(request, services, action)
    }
}
