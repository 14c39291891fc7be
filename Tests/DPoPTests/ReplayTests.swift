// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 section 11.1: a proof works once")
struct ReplayTests {
    private var scenario: Scenario
    private let store = MemoryReplayStore(capacity: 1600)

    init() throws {
        scenario = try Scenario()
    }

    private func replay(_ text: String, at time: Timestamp? = nil) -> DPoPError? {
        failure { try scenario.accept(text, in: store, at: time) }
    }

    private func replays(_ text: String) -> Bool {
        let error = replay(text)
        return error?.code == .replayed && error?.step == .replay
    }

    @Test func `attack 90, the same proof again`() async throws {
        let text = try await scenario.proof().signed()
        try scenario.accept(text, in: store)
        for _ in 0..<3 { #expect(replays(text)) }
        #expect(store.count == 1)
    }

    @Test func `attack 90, the same jti in a proof signed anew, for another request, at another time`() async throws {
        var scenario = scenario
        try scenario.accept(try await scenario.proof().signed(), in: store)
        var proof = scenario.proof()
        #expect(replays(try await proof.signed()))
        proof.claims["iat"] = .number(JSONNumber(scenario.now.secondsSince1970 + 5))
        proof.claims["extra"] = 1
        #expect(replays(try await proof.signed()))
        proof.claims["htm"] = "POST"
        scenario.expectation.method = "POST"
        let other = try await proof.signed()
        #expect(failure { try scenario.accept(other, in: store) }?.code == .replayed)
    }

    @Test func `attack 80, the malleated twin of an ECDSA signature is the same proof`() async throws {
        let text = try await scenario.proof().signed()
        try scenario.accept(text, in: store)
        let twin = try RawJWS.changingSignature(of: text) { $0 = $0.prefix(32) + P256Order.minus($0.suffix(32)) }
        #expect(twin != text)
        // The twin is a valid signature: only the replay store stops it.
        #expect(throws: Never.self) { try scenario.check([twin]) }
        #expect(replays(twin))
    }

    @Test func `attack 81, a jti spelled with escapes is the same jti`() async throws {
        try scenario.accept(try await scenario.proof(jti: "abc").signed(), in: store)
        let proof = scenario.proof(jti: "abc")
        let payload = String(decoding: JSONValue.object(proof.claims).encoded(), as: UTF8.self)
            .replacing("\"abc\"", with: "\"\\u0061\\u0062c\"")
        let twin = try await RawJWS.sign(
            header: JSONValue.object(proof.header).encoded(),
            payload: Array(payload.utf8),
            with: proof.signer
        )
        #expect(replays(twin))
    }

    @Test func `attack 81, a name of a claim spelled with escapes is the same name`() async throws {
        try scenario.accept(try await scenario.proof(jti: "abc").signed(), in: store)
        let proof = scenario.proof(jti: "abc")
        var payload = String(decoding: JSONValue.object(proof.claims).encoded(), as: UTF8.self)
        for name in proof.claims.members.map(\.name) {
            let escaped = name.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
            payload = payload.replacing("\"\(name)\":", with: "\"\(escaped)\":")
        }
        let header = JSONValue.object(proof.header).encoded()
        let twin = try await RawJWS.sign(header: header, payload: Array(payload.utf8), with: proof.signer)
        #expect(payload.contains(#""\u006a\u0074\u0069":"abc""#))
        #expect(throws: Never.self) { try scenario.check([twin]) }
        #expect(replays(twin))
    }

    @Test func `a jti that only looks alike is another one`() async throws {
        for jti in ["K", "\u{212A}", "\u{e9}", "e\u{301}", "a", "A", "a\0", "\0a"] {
            try scenario.accept(try await scenario.proof(jti: jti).signed(), in: store)
        }
        #expect(store.count == 8)
    }

    @Test func `attack 90, of 64 tasks with one jti one wins`() async throws {
        let text = try await scenario.proof().signed()
        let wins = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { [scenario, store] in failure { try scenario.accept(text, in: store) } == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
        #expect(store.count == 1)
    }

    @Test func `attack 93, the jti of another key does not block the victim`() async throws {
        var scenario = scenario
        scenario.expectation.thumbprint = nil
        var attack = ProofBuilder(
            key: try TestKey.p256(2),
            method: "GET",
            uri: Scenario.uri,
            at: scenario.now,
            jti: "victim's"
        )
        attack.claims["ath"] = .string(Scenario.accessTokenHash)
        try scenario.accept(try await attack.signed(), in: store)
        try scenario.accept(try await scenario.proof(jti: "victim's").signed(), in: store)
        #expect(store.count == 2)
    }

    @Test(arguments: RejectedProof.sample)
    func `attack 95, a proof that fails leaves no trace`(refused: RejectedProof) async throws {
        var scenario = scenario
        var proof = scenario.proof(jti: "kept")
        let fields = try await refused.fields(&proof, &scenario)
        let (unchanged, checks) = (self.scenario, scenario)
        for _ in 0..<2 {
            let error = failure {
                let checked = try checks.check(fields)
                try DPoPProofVerifier(policy: checks.policy, nonces: checks.nonces)
                    .record(checked, in: store, at: checks.now)
            }
            #expect(error?.step == refused.step)
        }
        #expect(store.count == 0)
        try unchanged.accept(try await unchanged.proof(jti: "kept").signed(), in: store)
    }

    @Test func `checking alone leaves no trace`() async throws {
        let text = try await scenario.proof().signed()
        for _ in 0..<3 { _ = try scenario.check([text]) }
        try scenario.accept(text, in: store)
    }

    /// Walks a clock to the end of the time in which a proof could be accepted, and past it.
    private func expectNeverAcceptedTwice(
        _ text: String,
        firstAt first: Timestamp,
        acceptableUntil last: Timestamp
    ) throws {
        try scenario.accept(text, in: store, at: first)
        let other = try scenario.check([text], at: first)
        #expect(other.retainUntil == last + .seconds(60))
        #expect(throws: Never.self) { try scenario.check([text], at: last) }
        #expect(failure { try scenario.check([text], at: last + .seconds(1)) } != nil)
        let coarse = stride(from: 0, through: 900, by: 50).map { first + .seconds($0) }
        let fine = (-5...5).map { last + .seconds($0) }
        for time in (coarse + fine).filter({ $0 >= first }).sorted() {
            let seconds = time - first
            // Another key's traffic makes the store sweep.
            _ = store.insert(ReplayKey(sweeping: "\(seconds)"), until: time + .seconds(1), now: time)
            let error = replay(text, at: time)
            #expect(error != nil, "accepted again after \(seconds)")
            if error?.step != .replay { #expect([.freshness, .nonce].contains(error?.step)) }
        }
        #expect(store.insert(other.replayKey, until: first + .seconds(2000), now: first + .seconds(1000)) == .inserted)
    }

    @Test(arguments: [-300, -150, 0, 15, 30])
    func `attack 92, remembered as long as iat lets it in, future-dated ones too`(issued: Int64) async throws {
        var proof = scenario.proof()
        proof.claims["iat"] = .number(JSONNumber(scenario.now.secondsSince1970 + issued))
        try expectNeverAcceptedTwice(
            try await proof.signed(),
            firstAt: scenario.now,
            acceptableUntil: scenario.now + .seconds(issued + 300)
        )
    }

    @Test(arguments: [-59, 0, 1, 150, 299])
    func `attack 92, remembered as long as its nonce lets it in`(age: Int) async throws {
        var test = self
        test.scenario.policy.nonces = .required
        let start = Timestamp(secondsSince1970: 1_789_999_980)
        var proof = scenario.proof()
        proof.claims["nonce"] = .string(scenario.nonces.nonce(at: start))
        proof.claims["iat"] = 0
        try test.expectNeverAcceptedTwice(
            try await proof.signed(),
            firstAt: start + .seconds(age),
            acceptableUntil: start + .seconds(300)
        )
    }

    @Test func `remembered for a minute more, for a clock that steps back`() async throws {
        let text = try await scenario.proof().signed()
        let checked = try scenario.accept(text, in: store)
        #expect(checked.retainUntil == scenario.now + .seconds(300) + .seconds(60))
        let sweeping = scenario.now + .seconds(355)
        _ = store.insert(ReplayKey(sweeping: "a"), until: sweeping + .seconds(1), now: sweeping)
        #expect(replay(text, at: scenario.now + .seconds(299))?.code == .replayed)
    }

    @Test func `attack 91, two nodes that share a store accept a proof once`() async throws {
        let text = try await scenario.proof().signed()
        let other = try Scenario()
        try scenario.accept(text, in: store)
        #expect(failure { try other.accept(text, in: store) }?.code == .replayed)
    }

    @Test func `attack 94, a store that is full refuses, both ways to record`() async throws {
        let checked = try scenario.check([try await scenario.proof().signed()])
        let verifier = DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces)
        let full = MemoryReplayStore(capacityPerKey: 0)
        let store: some ReplayStore = full
        let errors = [
            failure { try verifier.record(checked, in: full, at: scenario.now) },
            await asynchronousFailure { try await verifier.record(checked, in: store, at: scenario.now) },
        ]
        #expect(errors.map { $0?.code } == [.replayStoreUnavailable, .replayStoreUnavailable])
        #expect(errors.map { $0?.step } == [.replay, .replay])
    }

    @Test func `a store that does not answer refuses`() async throws {
        struct Down: Error {}
        struct BrokenStore: ReplayStore {
            func insert(
                _ key: ReplayKey,
                until end: Timestamp,
                now: Timestamp,
                in epoch: ReplayEpoch?
            ) async throws -> ReplayInsertion {
                throw Down()
            }
        }
        let checked = try scenario.check([try await scenario.proof().signed()])
        let verifier = DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces)
        let error = await asynchronousFailure {
            try await verifier.record(checked, in: BrokenStore(), at: scenario.now)
        }
        #expect(error?.code == .replayStoreUnavailable)
        #expect(error?.step == .replay)
        #expect(error?.underlying is Down)
    }

    @Test func `a store with another memory than the nonce was made for: a new nonce is needed, made for that memory`()
        async throws
    {
        struct ForgetfulStore: ReplayStore {
            let memory: ReplayEpoch

            func insert(
                _ key: ReplayKey,
                until end: Timestamp,
                now: Timestamp,
                in epoch: ReplayEpoch?
            ) async throws -> ReplayInsertion {
                epoch == memory ? .inserted : .otherEpoch(memory)
            }
        }
        var scenario = scenario
        scenario.policy.nonces = .required
        let store = ForgetfulStore(memory: ReplayEpoch(startingAt: scenario.now, entropy: SeededEntropy()))
        let verifier = DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces)
        func record() async throws -> DPoPError? {
            var proof = scenario.proof()
            proof.claims["nonce"] = .string(scenario.nonces.nonce(at: scenario.now))
            let checked = try scenario.check([try await proof.signed()])
            return await asynchronousFailure { try await verifier.record(checked, in: store, at: scenario.now) }
        }
        let first = try await record()
        #expect(first?.code == .nonceRequired && first?.step == .replay)
        #expect(scenario.nonces.epoch == store.memory)
        #expect(try await record() == nil)
    }

    @Test func `both ways to record agree`() async throws {
        let checked = try scenario.check([try await scenario.proof().signed()])
        let verifier = DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces)
        let store: some ReplayStore = store
        try await verifier.record(checked, in: store, at: scenario.now)
        #expect(
            await asynchronousFailure { try await verifier.record(checked, in: store, at: scenario.now) }?.code
                == .replayed
        )
        #expect(failure { try verifier.record(checked, in: self.store, at: scenario.now) }?.code == .replayed)
    }
}
