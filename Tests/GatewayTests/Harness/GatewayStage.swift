// SPDX-License-Identifier: Apache-2.0

import DPoP
import Gateway
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import Synchronization
import TestSupport

/// A gateway in process, the issuer of its tokens, and a client: what tests need to ask as a proxy does.
struct GatewayStage {
    static let issuer = "https://auth.example.com"
    static let address = "https://api.example.com"

    let clock: FixedClock
    let entropy = SeededEntropy()
    let issuerKey: SoftwareSigningKey
    let clientKey: SoftwareSigningKey
    let engine: GatewayEngine
    let decisions: Decisions
    let replay = MemoryReplayStore()

    final class Decisions: Sendable {
        private let list = Mutex<[GatewayDecision]>([])
        func add(_ decision: GatewayDecision) { list.withLock { $0.append(decision) } }
        var last: GatewayDecision? { list.withLock { $0.last } }
        var count: Int { list.withLock { $0.count } }
    }

    init(
        proxies: Set<ProxyKind> = [.nginx, .caddy, .envoy],
        nonces: DPoPNoncePolicy = .off,
        rules: [GatewayRule]? = nil,
        keys: (any JWKSetSource)? = nil,
        furtherIssuers: [AcceptedIssuer] = [],
        clock: FixedClock = FixedClock(),
        _ change: (inout ProtectedAPI) -> Void = { _ in }
    ) throws {
        self.clock = clock
        issuerKey = try TestKey.p256(1)
        clientKey = try TestKey.p256(2)
        var configuration = GuardConfiguration(
            issuer: Self.issuer,
            address: try URI(parsing: Self.address),
            proofs: ProofPolicy(nonces: nonces)
        )
        configuration.furtherIssuers = furtherIssuers
        configuration.metadata = PublishedMetadata(scopes: try Scope(["notes:read"]), name: "Notes")
        let requestGuard = try RequestGuard(
            configuration: configuration,
            keys: keys ?? FixedJWKSet(JWKSet([issuerKey.publicKey.named("key-1", algorithm: .es256)])),
            replay: replay,
            clock: clock,
            entropy: entropy
        )
        var api = ProtectedAPI(
            address: configuration.address,
            requestGuard: requestGuard,
            rules: try rules ?? Self.rules()
        )
        change(&api)
        let decisions = Decisions()
        self.decisions = decisions
        var gateway = GatewayConfiguration(apis: [api], proxies: proxies)
        gateway.trustedPeers = ["10.0.0.7"].compactMap { IPAddressRange(parsing: $0) }
        engine = try GatewayEngine(gateway, report: decisions.add)
    }

    static func rules() throws -> [GatewayRule] {
        let payments = GuardRequirement(scope: try Scope(["payments"]), contexts: ["mfa"], maximumAge: .seconds(300))
        let unbound = GuardRequirement(allowsUnboundTokens: true)
        return [
            try GatewayRule(path: PathPattern("/health"), methods: ["GET"], demand: .nothing),
            try GatewayRule(path: PathPattern("/notes/**"), methods: ["GET"], demand: token("notes:read")),
            try GatewayRule(path: PathPattern("/notes/**"), demand: token("notes:write")),
            try GatewayRule(path: PathPattern("/payments/**"), demand: .token(payments)),
            try GatewayRule(path: PathPattern("/import/*/rows"), methods: ["POST"], demand: .token(unbound)),
        ]
    }

    static func token(_ scope: String) throws -> GatewayRule.Demand {
        .token(GuardRequirement(scope: try Scope(parsing: scope)))
    }

    func accessToken(
        signedBy key: SoftwareSigningKey? = nil,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        let now = clock.now().secondsSince1970
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "sub": "ada", "aud": .string(Self.address), "client_id": "app",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)), "jti": "token-1",
            "scope": "notes:read payments", "cnf": ["jkt": .string(clientKey.publicKey.thumbprint.description)],
        ]
        change(&claims)
        return try await CompactJWS.sign(
            header: ["typ": "at+jwt", "kid": "key-1"],
            payload: JSONValue.object(claims).encoded(),
            with: key ?? issuerKey
        )
    }

    func proof(_ method: String, _ target: String, _ token: String, nonce: String? = nil) async throws -> String {
        try await DPoPProofFactory(key: clientKey, clock: clock, entropy: entropy)
            .proof(
                method: method,
                targetURI: try TargetURI(parsing: Self.address + target.prefix { $0 != "?" }),
                accessToken: token,
                nonce: nonce
            )
    }

    /// The question of a proxy about a request.
    func question(
        _ target: String = "/notes",
        method: String = "GET",
        credentials: HTTPFields = [:],
        path: String = "/check",
        _ change: (inout HTTPFields) -> Void = { _ in }
    ) -> HTTPRequest {
        var fields: HTTPFields = [
            "Host": "keybound", "x-forwarded-method": method, "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "api.example.com", "X-Forwarded-Uri": target, "X-Forwarded-For": "192.0.2.9",
        ]
        for field in credentials.all { fields.append(name: field.name, value: field.value) }
        change(&fields)
        return HTTPRequest(target: path, fields: fields, isFromUnixSocket: true)
    }

    /// The question about an honest request.
    func honest(
        _ target: String = "/notes",
        method: String = "GET",
        token: String? = nil,
        path: String = "/check",
        _ change: (inout HTTPFields) -> Void = { _ in }
    ) async throws -> HTTPRequest {
        let accessToken = if let token { token } else { try await accessToken() }
        let credentials: HTTPFields = [
            "Authorization": "DPoP \(accessToken)", "DPoP": try await proof(method, target, accessToken),
        ]
        return question(target, method: method, credentials: credentials, path: path, change)
    }

    func status(_ question: HTTPRequest) async -> Int {
        await engine.respond(to: question).status
    }
}
