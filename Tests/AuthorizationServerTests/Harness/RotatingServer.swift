// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import ServerStorage
import SigningKeys
import StrictJSON
import TestSupport
import Testing

/// A process of a server whose keys rotate every hour, and are published ten minutes before.
///
/// Several may share storage and clock.
struct RotatingServer: Sendable {
    static let policy = SigningKeyPolicy(rotation: .seconds(3600), publication: .seconds(600))
    /// How long keys stay published after their rotation: a session and the leeway.
    static let retention: Duration = .seconds(1860)

    let server: ServerUnderTest
    let engine: AuthorizationEngine
    let ring: SigningKeyRing
    let openID: OpenIDServer

    init(
        storage: any AuthorizationStorage = MemoryAuthorizationStorage(),
        clock: FixedClock = FixedClock(),
        sealer: any KeyWrapper = KeyFileWrapper.leavingKeysUnencrypted(),
        algorithms: [SignatureAlgorithm] = [.es256],
        adopting adopted: [SoftwareSigningKey] = [],
        place: (any SigningKeyProvider)? = nil,
        recordsProofsInStorage: Bool = false,
        seed: UInt64 = 1,
        audit: (any AuditSink)? = nil,
        _ change: (inout Lifetimes) -> Void = { _ in },
        mayRotate: @escaping @Sendable () async -> Bool = { true }
    ) async throws {
        let (entropy, reports) = (SeededEntropy(seed: seed), ServerUnderTest.Reports())
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: ServerUnderTest.issuer),
            audience: ServerUnderTest.audience,
            scopes: ["api:read", "api:write", "openid", "profile"].map { ScopeDescription(name: $0) }
        )
        configuration.lifetimes.session = .seconds(1800)
        change(&configuration.lifetimes)
        ring = try SigningKeyRing(
            storage: storage,
            place: place ?? DatabaseSigningKeys(sealer),
            sealer: sealer,
            algorithms: algorithms,
            policy: Self.policy,
            lifetimes: configuration.lifetimes,
            adopting: adopted,
            clock: clock,
            trail: OperatorTrail(audit),
            mayRotate: mayRotate
        )
        let engine = try await AuthorizationEngine(
            configuration: configuration,
            storage: storage,
            keys: ring,
            replay: recordsProofsInStorage ? nil : MemoryReplayStore(),
            nonceSecrets: storage,
            clock: clock,
            entropy: entropy,
            report: reports.add
        )
        try await ServerUnderTest.register(OpenIDServer.clients(), in: storage)
        self.engine = engine
        server = ServerUnderTest(clock: clock, entropy: entropy, storage: storage, reports: reports) {
            await engine.respond(to: $0)
        }
        openID = OpenIDServer(server)
    }

    /// Advances the clock, and lets the process refresh its keys.
    func pass(_ seconds: Int64) async {
        server.clock.advance(by: .seconds(seconds))
        await engine.rotateSecrets()
    }

    /// The `kid` of each published key.
    func published() async throws -> [String] {
        try JWKSet(parsing: await server.get("/jwks").json).keys.compactMap(\.keyID)
    }

    /// Signs in, and returns the key that signed the access token.
    func signIn(_ client: FakeClient) async throws -> (accessToken: String, keyID: String) {
        let token = try await openID.signIn(client).string("access_token")
        return (token, try #require(CompactJWS(parsing: token).header["kid"]?.stringValue))
    }

    /// Whether the server's own API, behind the guard that all APIs use, accepts a token.
    func accepts(_ accessToken: String, of client: FakeClient) async throws -> Bool {
        try await openID.userInfo(accessToken, client).status == 200
    }
}
