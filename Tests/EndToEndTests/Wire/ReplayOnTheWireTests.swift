// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import Foundation
import JOSE
import OAuthSystem
import ProofSuite
import SQLiteStorage
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite(
    "Attacks 80, 81 and 90 to 96 over real sockets: a proof works once, on all nodes together",
    .overSocketsOnEveryStore
)
struct ReplayOnTheWireTests {
    /// Sends a request whose proof must be good, then others that carry the same proof in some way.
    private func expectReplay(
        at endpoint: WireEndpoint,
        _ servers: WireServers,
        again: WireServers? = nil,
        _ change: (String) throws -> String = { $0 }
    ) async throws {
        let grant = try await servers.signIn()
        let text = try await servers.proof(for: endpoint, grant).signed()
        let first = try await servers.send(WireRequest(endpoint, grant).with([text]))
        try #require(first.status == (endpoint == .pushed ? 201 : 200), "\(endpoint): \(first.text)")
        // The second request lacks nothing but a new proof: it has tokens of its own.
        let other = try await servers.signIn("two")
        var request = WireRequest(endpoint, other).with([try change(text)])
        if endpoint == .api { request = WireRequest(endpoint, grant).with([try change(text)]) }
        let second = try await (again ?? servers).send(request)
        #expect(second.status == (endpoint == .api ? 401 : 400), "\(endpoint): \(second.text)")
        #expect(second.error == "invalid_dpop_proof", "\(endpoint)")
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 90, jti_replay_same_node`(endpoint: WireEndpoint) async throws {
        let servers = try await WireServers.start()
        try await expectReplay(at: endpoint, servers)
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 80, ecdsa_malleated_twin_is_replay`(endpoint: WireEndpoint) async throws {
        let servers = try await WireServers.start()
        try await expectReplay(at: endpoint, servers) { text in
            try RawJWS.changingSignature(of: text) { $0 = $0.prefix(32) + P256Order.minus($0.suffix(32)) }
        }
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 81, base64url_padding and tail_bits_twin_is_replay`(endpoint: WireEndpoint) async throws {
        let servers = try await WireServers.start()
        for change in [
            { $0 + "==" },
            { text in text.dropLast() + (["A": "B", "Q": "R", "g": "h", "w": "x"][text.suffix(1)] ?? "") },
        ] as [(String) -> String] {
            try await expectReplay(at: endpoint, try await WireServers.start(), change)
        }
        await servers.stop()
    }

    /// Two nodes on one database, as `keybound serve` runs them with the replay store in it.
    private func withTwoNodes(_ body: (WireServers, WireServers) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "wire-\(UUID().uuidString).db"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let clock = FixedClock()
        let stores = try await [
            SQLiteAuthorizationStorage(path: path), SQLiteAuthorizationStorage(path: path),
        ]
        var nodes: [WireServers] = []
        for store in stores {
            nodes.append(
                try await WireServers.start(
                    storage: store,
                    replay: .init(authorization: nil, api: StorageReplayStore(store)),
                    clock: clock
                )
            )
        }
        try await body(nodes[0], nodes[1])
        for node in nodes { await node.stop() }
        for store in stores { await store.close() }
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 91, jti_replay_other_node`(endpoint: WireEndpoint) async throws {
        try await withTwoNodes { first, second in
            try await expectReplay(at: endpoint, first, again: second)
        }
    }

    @Test func `attack 91, of 32 requests with one proof at two nodes one is accepted`() async throws {
        try await withTwoNodes { first, second in
            let grant = try await first.signIn()
            let request = try await first.honestRequest(.api, grant)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<32 {
                    group.addTask { try await (index % 2 == 0 ? first : second).send(request).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 401 }.count == 31)
        }
    }

    @Test(arguments: [WireEndpoint.refresh, .pushed, .api])
    func `attack 92, jti_replay_future_dated_after_retention`(endpoint: WireEndpoint) async throws {
        let servers = try await WireServers.start()
        let grant = try await servers.signIn()
        var proof = try servers.proof(for: endpoint, grant)
        proof.claims["iat"] = .number(JSONNumber(servers.clock.now().secondsSince1970 + 30))
        let request = WireRequest(endpoint, grant).with([try await proof.signed()])
        let first = try await servers.send(request)
        #expect(first.status == (endpoint == .pushed ? 201 : 200), "\(first.text)")
        for _ in 0..<50 {
            servers.clock.advance(by: .seconds(10))
            let status = try await servers.send(request).status
            #expect(status == (endpoint == .api ? 401 : 400))
        }
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 93, jti_preburn_by_other_key_does_not_block_victim`(endpoint: WireEndpoint) async throws {
        let servers = try await WireServers.start()
        let grant = try await servers.signIn()
        let honest = try servers.proof(for: endpoint, grant)
        var attack = honest
        attack.signer = try TestKey.p256(9)
        attack.header["jwk"] = .object(attack.signer.publicKey.json)
        let refused = try await servers.send(WireRequest(endpoint, grant).with([try await attack.signed()]))
        // A pushed request is bound to nothing yet: there the attacker's own proof is good.
        #expect((refused.status == 201) == (endpoint == .pushed))
        let response = try await servers.send(WireRequest(endpoint, grant).with([try await honest.signed()]))
        #expect(response.status == (endpoint == .pushed ? 201 : 200), "\(response.text)")
        await servers.stop()
    }

    @Test(arguments: [WireEndpoint.refresh, .api])
    func `attack 94, jti_flood_one_key_is_capped`(endpoint: WireEndpoint) async throws {
        let replay = WireServers.Replay(
            authorization: MemoryReplayStore(capacity: 1000, capacityPerKey: 3),
            api: MemoryReplayStore(capacity: 1000, capacityPerKey: 3)
        )
        let servers = try await WireServers.start(replay: replay)
        var grant = try await servers.signIn()
        var statuses: [Int] = []
        for _ in 0..<5 {
            let response = try await servers.send(servers.honestRequest(endpoint, grant))
            statuses.append(response.status)
            let object = try? JSONValue(parsing: response.body).objectValue
            if let token = object?["refresh_token"]?.stringValue { grant.refreshToken = token }
        }
        // Signing in took one at the token endpoint. What does not fit is answered 503; nothing is forgotten for it.
        #expect(statuses == (endpoint == .api ? [200, 200, 200, 503, 503] : [200, 200, 503, 503, 503]))
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 95, a request refused for something else does not use its proof up`(
        endpoint: WireEndpoint
    ) async throws {
        let servers = try await WireServers.start()
        let grant = try await servers.signIn()
        let text = try await servers.proof(for: endpoint, grant).signed()
        let unknown = WireGrant(code: "kbc_unknown", refreshToken: "kbr_unknown", accessToken: "unknown")
        var wrong = WireRequest(endpoint, unknown).with([text])
        if endpoint == .pushed { wrong.body = wrong.body.replacing("app.example.com", with: "evil.example") }
        #expect(try await servers.send(wrong).status >= 400)
        let response = try await servers.send(WireRequest(endpoint, grant).with([text]))
        #expect(response.status == (endpoint == .pushed ? 201 : 200), "\(response.text)")
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 96, rs_nonce_at_as and as_nonce_at_rs, stale, forged, 10 KB`(endpoint: WireEndpoint) async throws {
        let servers = try await WireServers.start(nonces: .required)
        let now = servers.clock.now()
        func issuer(_ role: DPoPServerRole, _ secret: DPoPNonceSecret = Scenario.secret) -> DPoPNonceIssuer {
            DPoPNonceIssuer(role: role, secrets: [secret])
        }
        let own: DPoPServerRole = endpoint == .api ? .resourceServer : .authorizationServer
        let other: DPoPServerRole = endpoint == .api ? .authorizationServer : .resourceServer
        let grant = try await servers.signIn(nonce: issuer(.authorizationServer).nonce(at: now))
        let foreign = DPoPNonceSecret(number: Scenario.secret.number, bytes: [UInt8](repeating: 9, count: 32))
        for nonce in [
            nil, "", "x", issuer(other).nonce(at: now), issuer(own, foreign).nonce(at: now),
            issuer(own).nonce(at: now - .seconds(361)), issuer(own).nonce(at: now + .seconds(120)),
            String(repeating: "A", count: 4000),
        ] {
            let response = try await servers.send(servers.honestRequest(endpoint, grant, nonce: nonce))
            #expect(response.error == "use_dpop_nonce", "\(nonce ?? "none")")
            let offered = try #require(response.field("DPoP-Nonce"))
            #expect(offered == issuer(own).nonce(at: now))
        }
        let large = try await servers.honestRequest(endpoint, grant, nonce: String(repeating: "A", count: 10_000))
        #expect(try await servers.send(large).error == "invalid_dpop_proof")
        let last = try await servers.send(
            servers.honestRequest(endpoint, grant, nonce: issuer(own).nonce(at: now))
        )
        #expect(last.status == (endpoint == .pushed ? 201 : 200), "\(last.text)")
        await servers.stop()
    }
}
