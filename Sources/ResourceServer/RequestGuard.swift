// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import HTTPMessage
package import JOSE
public import OAuthCore
public import OAuthSystem

/// Protects an API: for each request, it returns the verified claims, or the exact challenge to send.
///
/// <!-- given: let request: HTTPRequest; let apiGuard: RequestGuard; let scope: Scope; import HTTPMessage; import OAuthCore;
/// let answer: @Sendable (String) -> HTTPResponse -->
/// ```swift
/// let response = switch await apiGuard.check(request, for: GuardRequirement(scope: scope)) {
/// case .accepted(let authorized): answer(authorized.subject)
/// case .rejected(let rejection): rejection.response
/// }
/// ```
///
/// The guard checks the credentials, the access token, its binding, the proof, the scope, the claims and how the user
/// signed in, and records the proof last. So an attacker who stole a token learns nothing about it, and a rejected request
/// cannot fill the replay store.
///
/// ## Specification
///
/// [RFC 9449 §7](https://www.rfc-editor.org/rfc/rfc9449#section-7),
/// [RFC 9068 §4](https://www.rfc-editor.org/rfc/rfc9068#section-4),
/// [RFC 9470 §3](https://www.rfc-editor.org/rfc/rfc9470#section-3)
public struct RequestGuard: Sendable {
    let configuration: GuardConfiguration
    private let checkAccessToken: CheckAccessToken
    private let verifier: DPoPProofVerifier
    private let replay: any ReplayStore
    private let challenges: ChallengeWriter
    private let resourceMetadata: ResourceMetadata?
    let clock: any WallClock
    let identity = GuardIdentity()

    /// Makes a guard.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - keys: The source of the keys of ``GuardConfiguration/issuer``.
    ///   - replay: Stores used proofs.
    ///   - nonceSecrets: The secrets of nonces, the current one first; by default a new one, which is right for one
    ///     process.
    ///   - clock: The clock.
    ///   - entropy: The source of a new secret.
    /// - Throws: ``ResourceServerError`` – ``ResourceServerError/Code/invalidConfiguration`` if proofs cannot be made
    ///   for the address of the API, if the address ends in a slash, or if an issuer is listed twice.
    public init(
        configuration: GuardConfiguration,
        keys: any JWKSetSource,
        replay: any ReplayStore = MemoryReplayStore(),
        nonceSecrets: [DPoPNonceSecret]? = nil,
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy()
    ) throws(ResourceServerError) {
        let secrets = nonceSecrets ?? [DPoPNonceSecret(entropy: entropy)]
        try self.init(
            configuration: configuration,
            keys: keys,
            replay: replay,
            nonces: DPoPNonceIssuer(role: .resourceServer, secrets: secrets),
            clock: clock
        )
    }

    /// Makes a guard whose nonce secrets can be replaced while it runs.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - keys: The source of the keys of ``GuardConfiguration/issuer``.
    ///   - replay: Stores used proofs.
    ///   - nonces: Issues nonces of a resource server; ``/DPoP/DPoPNonceIssuer/use(_:)`` replaces its secrets.
    ///   - clock: The clock.
    /// - Throws: ``ResourceServerError`` – ``ResourceServerError/Code/invalidConfiguration``.
    public init(
        configuration: GuardConfiguration,
        keys: any JWKSetSource,
        replay: any ReplayStore = MemoryReplayStore(),
        nonces: DPoPNonceIssuer,
        clock: any WallClock = SystemWallClock()
    ) throws(ResourceServerError) {
        try self.init(
            configuration: configuration,
            accessTokens: SignedAccessTokens(configuration, keys: keys),
            replay: replay,
            nonces: nonces,
            clock: clock
        )
    }

    /// Makes a guard with its own way to validate access tokens, such as ``IntrospectingAccessTokens``.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - accessTokens: Validates access tokens.
    ///   - replay: Stores used proofs.
    ///   - nonces: Issues nonces of a resource server; by default a new issuer, which is right for one process.
    ///   - clock: The clock.
    /// - Throws: ``ResourceServerError`` – ``ResourceServerError/Code/invalidConfiguration``.
    public init(
        configuration: GuardConfiguration,
        accessTokens: any AccessTokenReader,
        replay: any ReplayStore = MemoryReplayStore(),
        nonces: DPoPNonceIssuer = DPoPNonceIssuer(
            role: .resourceServer,
            secrets: [DPoPNonceSecret(entropy: SystemEntropy())]
        ),
        clock: any WallClock = SystemWallClock()
    ) throws(ResourceServerError) {
        try Self.checkAddress(configuration.address)
        try configuration.checkIssuers()
        self.configuration = configuration
        resourceMetadata = ResourceMetadata(configuration)
        self.replay = replay
        self.clock = clock
        var policy = configuration.proofs
        // A store in memory has lost its entries from before the start.
        if replay is MemoryReplayStore, policy.replayMemorySince == nil { policy.replayMemorySince = clock.now() }
        verifier = DPoPProofVerifier(
            policy: policy,
            nonces: nonces
        )
        challenges = ChallengeWriter(algorithms: policy.algorithms)
        checkAccessToken = CheckAccessToken(reader: accessTokens)
    }

    /// Checks a request.
    ///
    /// - Parameters:
    ///   - request: The request, its target in origin form as it was received.
    ///   - requirement: What the route demands of the token; by default, that it is valid for this API.
    /// - Returns: The verified claims, or the response to send and the reason for the log.
    public func check(_ request: HTTPRequest, for requirement: GuardRequirement = .init()) async -> GuardDecision {
        await check(request, for: requirement, recordingIn: { [replay] _ in replay })
    }

    /// Checks a request whose proof is recorded in a store that depends on the token.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - requirement: What the route demands of the token.
    ///   - store: The store for a token with these claims, which passed every check; called once, also for a token that
    ///     is bound to no key.
    /// - Returns: The verified claims, or the response to send and the reason for the log.
    package func check(
        _ request: HTTPRequest,
        for requirement: GuardRequirement,
        recordingIn store: @Sendable (JWTClaims) -> any ReplayStore
    ) async -> GuardDecision {
        do {
            return .accepted(try await authorize(request, for: requirement, recordingIn: store))
        } catch {
            return .rejected(rejection(error, of: request))
        }
    }

    /// Rejects a request that ``check(_:for:)`` accepted, because the API knows that its token is not valid any more.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - authorized: What the guard made of it.
    ///   - description: Why, for the developer of the client; contains no secret.
    ///   - requirement: What the route demands of the token.
    /// - Returns: 401 `invalid_token` with the same challenges as any other (RFC 6750 section 3.1).
    public func invalidToken(
        in request: HTTPRequest,
        _ authorized: AuthorizedRequest,
        _ description: String,
        for requirement: GuardRequirement = .init()
    ) -> Rejection {
        let failure = writer(for: requirement).rejected(
            .invalidToken,
            description,
            isBearer: authorized.binding == .nothing,
            RejectionReason("access-token", "RFC 6750 section 3.1", expected: "a token that is valid still")
        )
        return rejection(failure, of: request)
    }

    func rejection(_ failure: GuardFailure, of request: HTTPRequest) -> Rejection {
        (resourceMetadata?.address(for: request)).map(failure.leading)?.rejection ?? failure.rejection
    }

    func writer(for requirement: GuardRequirement) -> ChallengeWriter {
        challenges.accepting(
            bearer: requirement.allowsUnboundTokens ?? configuration.acceptsTokensThatAreBoundToNothing
        )
    }

    /// The metadata of the API, as in the document about its address; `nil` without ``GuardConfiguration/metadata``.
    public var metadata: ProtectedResourceMetadata? { resourceMetadata?.document }

    /// Responds to a request for the metadata of the API, with which clients find its authorization server.
    ///
    /// The document about the address of the API is at `/.well-known/oauth-protected-resource`, followed by the path of
    /// the address. The one about `/notes` is at `/.well-known/oauth-protected-resource/notes`, to which the challenges
    /// of `/notes` link. A URL of more than 2048 bytes, or that is not normalized (RFC 3986 section 6.2.2), has none. A
    /// proxy that removes a path must forward these requests unchanged.
    ///
    /// - Parameter request: Any request, its target in origin form as it was received.
    /// - Returns: The response, 200 with JSON or 405; `nil` if the request is for something else, or without
    ///   ``GuardConfiguration/metadata``.
    ///
    /// ## Specification
    ///
    /// [RFC 9728 §3](https://www.rfc-editor.org/rfc/rfc9728#section-3)
    public func metadataResponse(to request: HTTPRequest) -> HTTPResponse? {
        resourceMetadata?.response(to: request)
    }

    private func authorize(
        _ request: HTTPRequest,
        for requirement: GuardRequirement,
        recordingIn store: @Sendable (JWTClaims) -> any ReplayStore
    ) async throws(GuardFailure) -> AuthorizedRequest {
        let now = clock.now()
        let challenges = writer(for: requirement)
        let presented = try CheckCredentials.run(request, for: requirement, challenges)
        let claims = try await checkAccessToken.run(presented, challenges, at: now)
        let binding = try CheckConfirmation.run(claims, presented, challenges)
        var proof: VerifiedProof?
        if case .key(let thumbprint) = binding {
            proof = try await checkProof(of: request, presented.accessToken, thumbprint, challenges, at: now)
        }
        let scope = try CheckScope.run(claims, presented, for: requirement, challenges)
        try CheckClaims.run(claims, presented, needed: requirement.claims, challenges)
        try CheckAuthentication.run(
            claims,
            presented,
            for: requirement,
            leeway: configuration.leeway,
            challenges,
            at: now
        )
        let replay = store(claims)
        if let proof { try await record(proof, in: replay, challenges, at: now) }
        return AuthorizedRequest(
            claims: claims,
            subject: claims.subject ?? "",
            clientID: claims.string("client_id") ?? "",
            scope: scope,
            binding: binding,
            responseFields: proof.map { responseFields(after: $0, at: now) } ?? [:],
            identity: identity
        )
    }

    private func checkProof(
        of request: HTTPRequest,
        _ accessToken: String,
        _ thumbprint: JWKThumbprint,
        _ challenges: ChallengeWriter,
        at now: Timestamp
    ) async throws(GuardFailure) -> VerifiedProof {
        var expectation: ExpectedRequest?
        do {
            let expected = ExpectedRequest(
                method: request.method,
                targetURI: try publicURI(of: request),
                accessToken: accessToken,
                thumbprint: thumbprint
            )
            expectation = expected
            return try await verifier.check(
                request.fields.values(for: "DPoP"),
                against: expected,
                at: now,
                with: configuration.signatures
            )
        } catch {
            throw failure(for: error, RejectionReason(error.step, of: expectation), challenges, at: now)
        }
    }

    private func record(
        _ proof: VerifiedProof,
        in replay: any ReplayStore,
        _ challenges: ChallengeWriter,
        at now: Timestamp
    ) async throws(GuardFailure) {
        do {
            try await record(proof, in: replay, at: now)
        } catch {
            throw failure(for: error, RejectionReason(error.step ?? .replay, of: nil), challenges, at: now)
        }
    }

    private static func checkAddress(_ address: URI) throws(ResourceServerError) {
        guard (try? TargetURI(address)) != nil, address.query == nil, address.fragment == nil,
            !address.description.hasSuffix("/")
        else {
            throw ResourceServerError(
                .invalidConfiguration,
                "the address of the API is an http or https URL without query, fragment and slash at the end"
            )
        }
    }

    /// The configured address and the path of the request as received; the `Host` field is ignored.
    private func publicURI(of request: HTTPRequest) throws(DPoPError) -> TargetURI {
        // Without a leading slash, the target would extend the host name.
        guard request.path.utf8.first == UInt8(ascii: "/") else {
            throw DPoPError(.invalidTargetURI, "the target of the request does not begin with a slash")
        }
        return try TargetURI(parsing: configuration.address.description + request.path)
    }

    private func record(
        _ proof: VerifiedProof,
        in store: some ReplayStore,
        at now: Timestamp
    ) async throws(DPoPError) {
        try await verifier.record(proof, in: store, at: now)
    }

    /// RFC 9449 sections 7.1 and 9.
    private func failure(
        for error: DPoPError,
        _ reason: RejectionReason,
        _ challenges: ChallengeWriter,
        at now: Timestamp
    ) -> GuardFailure {
        switch error.code {
        case .nonceRequired:
            var failure = challenges.rejected(.useDPoPNonce, "Resource server requires nonce in DPoP proof", reason)
            failure.nonce = verifier.nonceToOffer(after: nil, at: now)
            return failure
        case .keyMismatch:
            return challenges.rejected(.invalidToken, "Invalid DPoP key binding", reason)
        case .replayStoreUnavailable:
            return .unavailable("a store for used proofs that is neither full nor away")
        case .cancelled:
            return .unavailable("a request that is not cancelled")
        default:
            return challenges.rejected(.invalidDPoPProof, error.reason, reason)
        }
    }

    private func responseFields(after proof: VerifiedProof, at now: Timestamp) -> HTTPFields {
        guard let nonce = verifier.nonceToOffer(after: proof, at: now) else { return [:] }
        return [
            "DPoP-Nonce": nonce, "Cache-Control": "no-store",
            "Access-Control-Expose-Headers": "DPoP-Nonce, WWW-Authenticate",
        ]
    }
}
