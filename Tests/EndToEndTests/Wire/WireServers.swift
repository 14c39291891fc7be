// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import HTTPServer
import JOSE
import OAuthCore
import OAuthCrypto
import OAuthSystem
import PKCE
import ProofSuite
import ResourceServer
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// An authorization server and an API, each on a socket of its own, which know their public addresses as behind a proxy.
///
/// Time stands still, and there is a client whose key is the one of ``Scenario``.
struct WireServers: Sendable {
    /// Where used proofs are remembered: by each server for itself, or by all nodes together.
    struct Replay: Sendable {
        /// `nil` for the storage.
        let authorization: (any ReplayStore)?
        let api: any ReplayStore

        static func inMemory() -> Replay {
            Replay(authorization: MemoryReplayStore(), api: MemoryReplayStore())
        }

        /// The authorization server's beside everything else that it keeps.
        static func keptInStorage() -> Replay {
            Replay(authorization: nil, api: MemoryReplayStore())
        }
    }

    static let issuer = "https://auth.example.com"
    static let address = "https://api.example.com"
    static let redirectURI = "https://app.example.com/callback"

    let clock: FixedClock
    let storage: any AuthorizationStorage
    let replay: Replay
    /// What the authorization server recorded.
    let audit: RecordedEvents
    private let authorization: HTTPListener
    private let api: HTTPListener

    /// Starts both servers; a second node gets the storage, the clock and the replay stores of the first.
    static func start(
        nonces: DPoPNoncePolicy = .off,
        storage given: (any AuthorizationStorage)? = nil,
        replay givenReplay: Replay? = nil,
        clock: FixedClock = FixedClock(),
        isBound: Bool = true
    ) async throws -> WireServers {
        let storage = try await ServerStage.storage(given)
        let replay = givenReplay ?? (ServerStage.current == nil ? .inMemory() : .keptInStorage())
        // One secret for both: the roles alone keep their nonces apart.
        let secrets = [Scenario.secret]
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: issuer),
            audience: address,
            scopes: [ScopeDescription(name: "api:read")]
        )
        configuration.noncePolicy = nonces
        configuration.requireDPoP = isBound
        let audit = RecordedEvents()
        let engine = try AuthorizationEngine(
            configuration: configuration,
            storage: storage,
            signingKey: TestKey.p256(4),
            replay: replay.authorization,
            nonceSecrets: secrets,
            clock: clock,
            entropy: SystemEntropy(),
            audit: audit,
            report: { _ in }
        )
        _ = try await storage.add(client(isBound: isBound, at: clock.now()))
        let published = await engine.respond(to: HTTPRequest(target: "/jwks"))
        let keys = try JWKSet(parsing: JSONValue(parsing: published.body).objectValue ?? [:])
        let apiGuard = try RequestGuard(
            configuration: GuardConfiguration(
                issuer: issuer,
                address: URI(parsing: address),
                proofs: ProofPolicy(nonces: nonces)
            ),
            keys: FixedJWKSet(keys),
            replay: replay.api,
            nonceSecrets: secrets,
            clock: clock
        )
        return WireServers(
            clock: clock,
            storage: storage,
            replay: replay,
            audit: audit,
            authorization: try HTTPListener(port: 0, handler: { await engine.respond(to: $0) }),
            api: try HTTPListener(port: 0, handler: { await answer($0, apiGuard) })
        )
    }

    func stop() async {
        await authorization.stop(draining: .seconds(2))
        await api.stop(draining: .seconds(2))
    }

    private static func answer(_ request: HTTPRequest, _ apiGuard: RequestGuard) async -> HTTPResponse {
        switch await apiGuard.check(request) {
        case .accepted(let authorized):
            HTTPResponse(status: 200, fields: authorized.responseFields, body: Array(authorized.subject.utf8))
        case .rejected(let rejection):
            rejection.response
        }
    }

    private static func client(isBound: Bool, at now: Timestamp) throws -> RegisteredClient {
        RegisteredClient(
            clientID: "app",
            name: "App",
            redirectURIs: [redirectURI],
            scope: try Scope(parsing: "api:read"),
            dpopBoundAccessTokens: isBound,
            createdAt: now
        )
    }

    /// Sends one request as it stands and returns the answer.
    func send(_ request: WireRequest) async throws -> RawResponse {
        let port = request.endpoint == .api ? api.port : authorization.port
        let text = request.text
        return try await blocking {
            let connection = try RawConnection(port: port)
            try connection.send(text)
            return try #require(try connection.receive())
        }
    }
}

/// What somebody who signed in holds: a code that was not redeemed, and the tokens of another one.
struct WireGrant: Sendable {
    var code: String
    /// The code verifier of the code: each challenge is good for one sign-in.
    var verifier = String(repeating: "v", count: 43)
    var refreshToken = ""
    var accessToken = ""
}

extension WireServers {
    /// Signs somebody in, twice: pages and passwords have tests of their own.
    func signIn(_ label: String = "one", nonce: String? = nil) async throws -> WireGrant {
        var grant = try await issueCode("\(label) first")
        let tokens = try await send(honestRequest(.code, grant, nonce: nonce))
        try #require(tokens.status == 200, "\(tokens.text)")
        let object = try #require(try JSONValue(parsing: tokens.body).objectValue)
        grant.refreshToken = try #require(object["refresh_token"]?.stringValue)
        grant.accessToken = try #require(object["access_token"]?.stringValue)
        let second = try await issueCode("\(label) second")
        (grant.code, grant.verifier) = (second.code, second.verifier)
        return grant
    }

    private func issueCode(_ label: String) async throws -> WireGrant {
        let now = clock.now()
        let grantID = Grant.newID(in: 0, at: now, SystemEntropy())
        let code = try #require(GrantSecret.make(.code, for: grantID, at: now, SystemEntropy()))
        let verifier = CodeVerifier()
        let scope = try Scope(parsing: "api:read")
        let challenge = verifier.s256Challenge
        let thumbprint = try TestKey.p256().publicKey.thumbprint
        let request = StoredAuthorizationRequest(
            referenceHash: SecretHash(of: label),
            request: AuthorizationRequest(
                clientID: "app",
                redirectURI: Self.redirectURI,
                scope: scope,
                state: nil,
                codeChallenge: challenge,
                dpopThumbprint: thumbprint
            ),
            expiresAt: now + .seconds(600)
        )
        let stored = StoredCode(
            codeHash: SecretHash(of: code),
            grantID: grantID,
            clientID: "app",
            redirectURI: Self.redirectURI,
            codeChallenge: challenge,
            dpopThumbprint: thumbprint,
            expiresAt: now + .seconds(60)
        )
        let grant = Grant(
            id: grantID,
            clientID: "app",
            subject: "ada",
            scope: scope,
            authenticatedAt: now,
            createdAt: now
        )
        _ = try await storage.add(request, recording: Recording(WriteAttempt(entropy: SystemEntropy())), at: now)
        let session = try await signIn(grant.subject, for: label)
        let issuance = try await storage.issue(
            stored,
            under: grant,
            consuming: SecretHash(of: label),
            in: session,
            by: .given,
            at: now
        )
        #expect(issuance == .issued)
        return WireGrant(code: code, verifier: verifier.text)
    }

    /// Starts a session of a user, who gets an account the first time.
    private func signIn(_ subject: String, for label: String) async throws -> SecretHash {
        let now = clock.now()
        _ = try await storage.add(
            UserAccount(
                subject: subject,
                username: subject,
                passwordHash: PasswordHash(stored: "$none$x"),
                createdAt: now
            )
        )
        let session = BrowserSession(
            idHash: SecretHash(of: "session for \(label)"),
            subject: subject,
            authenticatedAt: now,
            expiresAt: now + .seconds(600)
        )
        #expect(try await storage.start(session, replacing: nil, judgedBy: nil))
        return session.idHash
    }

    /// A request with a proof that passes every check, unless a test changes it.
    func honestRequest(_ endpoint: WireEndpoint, _ grant: WireGrant, nonce: String? = nil) async throws -> WireRequest {
        var request = WireRequest(endpoint, grant)
        request.fields.append(("DPoP", try await proof(for: endpoint, grant, nonce: nonce).signed()))
        return request
    }

    /// A proof for an endpoint, each with another `jti`.
    func proof(for endpoint: WireEndpoint, _ grant: WireGrant, nonce: String? = nil) throws -> ProofBuilder {
        var builder = ProofBuilder(
            key: try TestKey.p256(),
            method: endpoint.method,
            uri: endpoint.uri,
            at: clock.now(),
            jti: Base64URL.encode(SystemEntropy().bytes(16))
        )
        if endpoint == .api {
            builder.claims["ath"] = .string(Base64URL.encode(SHA256.hash(Array(grant.accessToken.utf8)).bytes))
        }
        builder.claims["nonce"] = nonce.map { .string($0) }
        return builder
    }
}
