// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 sections 8 and 11.3: when a nonce is needed, and decides")
struct NoncePolicyTests {
    private var scenario: Scenario

    init() throws {
        scenario = try Scenario()
    }

    private func proof(nonce: String? = nil, iat seconds: Int64 = 0) async throws -> String {
        var proof = scenario.proof()
        proof.claims["nonce"] = nonce.map { .string($0) }
        proof.claims["iat"] = .number(JSONNumber(scenario.now.secondsSince1970 + seconds))
        return try await proof.signed()
    }

    private var verifier: DPoPProofVerifier { DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces) }

    @Test(arguments: [DPoPNoncePolicy.required, DPoPNoncePolicy(rawValue: "unknown"), .onSkew])
    func `a valid nonce decides, whatever the clock of the client says`(policy: DPoPNoncePolicy) async throws {
        var scenario = scenario
        scenario.policy.nonces = policy
        for seconds: Int64 in [-100_000_000, -301, 0, 31, 100_000_000] {
            let text = try await proof(nonce: scenario.nonces.nonce(at: scenario.now), iat: seconds)
            #expect(try scenario.accept(text).nonceAge != nil)
        }
    }

    @Test(arguments: [DPoPNoncePolicy.required, DPoPNoncePolicy(rawValue: "unknown")])
    func `attack 96, without a nonce nothing is accepted where one is required`(policy: DPoPNoncePolicy) async throws {
        var scenario = scenario
        scenario.policy.nonces = policy
        let text = try await proof()
        let error = failure { try scenario.check([text]) }
        #expect(error?.code == .nonceRequired)
        #expect(error?.step == .nonce)
    }

    @Test func `the default policy requires a nonce`() {
        #expect(ProofPolicy().nonces == .required)
        #expect(ProofPolicy().algorithms == [.es256, .ed25519, .edDSA])
        #expect(ProofPolicy().maximumAge == .seconds(300))
        #expect(ProofPolicy().futureSkew == .seconds(30))
    }

    @Test func `on skew, a fresh iat needs no nonce and a stale one is told to take one`() async throws {
        var scenario = scenario
        scenario.policy.nonces = .onSkew
        let fresh = try await proof()
        #expect(try scenario.accept(fresh).nonceAge == nil)
        for seconds: Int64 in [-301, 31] {
            let stale = try await proof(iat: seconds)
            let error = failure { try scenario.check([stale]) }
            #expect(error?.code == .nonceRequired)
            #expect(error?.step == .freshness)
        }
    }

    @Test func `attack 96, on skew, an invalid nonce is not saved by a fresh iat`() async throws {
        var scenario = scenario
        scenario.policy.nonces = .onSkew
        for nonce in ["", "x", scenario.nonces.nonce(at: scenario.now - .seconds(400))] {
            let text = try await proof(nonce: nonce)
            #expect(failure { try scenario.check([text]) }?.step == .nonce)
        }
    }

    @Test func `proofs that may have been used before a restart need a nonce, future-dated ones too`() async throws {
        var scenario = scenario
        scenario.policy.nonces = .onSkew
        scenario.policy.replayMemorySince = scenario.now
        // What was accepted just before the restart may have been dated up to the skew ahead.
        for seconds: Int64 in [-1, 0, 29] {
            let text = try await proof(iat: seconds)
            let error = failure { try scenario.check([text]) }
            #expect(error?.code == .nonceRequired, "\(seconds)")
            #expect(error?.step == .freshness)
            try scenario.accept(try await proof(nonce: scenario.nonces.nonce(at: scenario.now), iat: seconds))
        }
        let later = try await proof(iat: 30)
        try scenario.accept(later, at: scenario.now + .seconds(1))
    }

    @Test func `no proof that was accepted before a restart is accepted after it`() async throws {
        var scenario = scenario
        scenario.policy.nonces = .onSkew
        for issued in stride(from: -300, through: 30, by: 15) as StrideThrough<Int64> {
            let text = try await proof(iat: issued)
            try scenario.accept(text)
            var restarted = scenario
            restarted.policy.replayMemorySince = scenario.now + .seconds(1)
            for seconds in stride(from: 1, through: 400, by: 13) {
                #expect(
                    failure { try restarted.check([text], at: scenario.now + .seconds(seconds)) }?.code
                        == .nonceRequired,
                    "issued \(issued), again after \(seconds)"
                )
            }
        }
    }

    @Test func `a nonce is offered when one is needed, and when the client's grows old`() async throws {
        var scenario = scenario
        scenario.policy.nonces = .required
        let issuer = scenario.nonces
        let verifier = DPoPProofVerifier(policy: scenario.policy, nonces: issuer)
        #expect(verifier.nonceToOffer(after: nil, at: scenario.now) == issuer.nonce(at: scenario.now))
        let start = Timestamp(secondsSince1970: scenario.now.secondsSince1970 / 60 * 60)
        let text = try await proof(nonce: issuer.nonce(at: start))
        for (seconds, isOffered) in [(0, false), (150, false), (151, true), (300, true)] {
            let time = start + .seconds(seconds)
            let checked = try scenario.check([text], at: time)
            #expect((verifier.nonceToOffer(after: checked, at: time) == issuer.nonce(at: time)) == isOffered)
        }
    }

    @Test func `a nonce is not pressed on who needs none`() async throws {
        var scenario = scenario
        let text = try await proof()
        for policy in [DPoPNoncePolicy.off, .onSkew] {
            scenario.policy.nonces = policy
            let verifier = DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces)
            #expect(verifier.nonceToOffer(after: try scenario.check([text]), at: scenario.now) == nil)
        }
        #expect(verifier.nonceToOffer(after: nil, at: scenario.now) == nil)
    }

    @Test func `without secrets no nonce is offered`() {
        let none = DPoPNonceIssuer(role: .resourceServer, secrets: [])
        let verifier = DPoPProofVerifier(policy: ProofPolicy(nonces: .required), nonces: none)
        #expect(verifier.nonceToOffer(after: nil, at: scenario.now) == nil)
    }
}
