// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ProofSuite
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("A nonce that another process may have made")
struct UnknownNonceTests {
    /// What several processes share, and how often this one has looked at it.
    private final class Store: Sendable {
        let epoch: ReplayEpoch
        let looks = Mutex(0)

        init(_ epoch: ReplayEpoch) {
            self.epoch = epoch
        }
    }

    private static let secret = DPoPNonceSecret(entropy: SeededEntropy())

    private let scenario: Scenario
    /// This process, and one that knows the new memory already.
    private let (nonces, others): (DPoPNonceIssuer, DPoPNonceIssuer)
    private let store: Store

    init() throws {
        var scenario = try Scenario()
        scenario.policy.nonces = .required
        self.scenario = scenario
        store = Store(ReplayEpoch(startingAt: scenario.now, entropy: SeededEntropy(seed: 2)))
        nonces = DPoPNonceIssuer(role: .authorizationServer, secrets: [Self.secret])
        others = DPoPNonceIssuer(
            role: .authorizationServer,
            secrets: DPoPNonceSecrets([Self.secret], epoch: store.epoch)
        )
        nonces.onUnknownNonce { [weak nonces, store] in
            store.looks.withLock { $0 += 1 }
            nonces?.start(store.epoch)
        }
    }

    private func check(_ nonce: String, at now: Timestamp? = nil) async throws -> DPoPError? {
        var proof = scenario.proof()
        proof.claims["nonce"] = .string(nonce)
        let verifier = DPoPProofVerifier(policy: scenario.policy, nonces: nonces)
        let text = try await proof.signed()
        return await asynchronousFailure {
            try await verifier.check([text], against: scenario.expectation, at: now ?? scenario.now, with: nil)
        }
    }

    @Test func `is accepted after a look at what they share, and made for the memory that is there`() async throws {
        #expect(try await check(others.nonce(at: scenario.now)) == nil)
        #expect(nonces.epoch == store.epoch)
        #expect(store.looks.withLock(\.self) == 1)
        // From now on it is known.
        #expect(try await check(others.nonce(at: scenario.now)) == nil)
        #expect(store.looks.withLock(\.self) == 1)
    }

    @Test func `one that is too old, or has another form, is not worth a look`() async throws {
        let old = others.nonce(at: scenario.now - .seconds(400))
        let early = others.nonce(at: scenario.now + .seconds(200))
        for nonce in [old, early, "", "x", String(others.nonce(at: scenario.now).dropLast())] {
            #expect(try await check(nonce)?.code == .nonceRequired)
        }
        #expect(store.looks.withLock(\.self) == 0)
    }

    @Test func `forged ones cause four looks a second at most`() async throws {
        let forger = DPoPNonceIssuer(
            role: .authorizationServer,
            secrets: [DPoPNonceSecret(entropy: SeededEntropy(seed: 3))]
        )
        for milliseconds in 0..<1000 where milliseconds % 10 == 0 {
            let now = scenario.now + .milliseconds(milliseconds)
            #expect(try await check(forger.nonce(at: now), at: now)?.code == .nonceRequired)
        }
        #expect(store.looks.withLock(\.self) == 4)
        // A clock that was set back does not stop them.
        let earlier = scenario.now - .seconds(3600)
        _ = try await check(forger.nonce(at: earlier), at: earlier)
        #expect(store.looks.withLock(\.self) == 5)
    }

    @Test func `a nonce of the other kind of server stays wrong`() async throws {
        let api = DPoPNonceIssuer(
            role: .resourceServer,
            secrets: DPoPNonceSecrets([Self.secret], epoch: store.epoch)
        )
        #expect(try await check(api.nonce(at: scenario.now))?.code == .nonceRequired)
    }
}
