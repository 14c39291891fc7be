// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 section 4.3: proofs that must be rejected")
struct RejectedProofTests {
    static let all = ProofAttack.all.flatMap(\.proofs)

    @Test(arguments: ProofStep.all)
    func `trap 68: every step is failed by a case`(step: ProofStep) {
        // Replay is not a property of one proof: ReplayTests.
        let covered = Set(Self.all.map(\.step)).union([.replay])
        #expect(covered.contains(step))
    }

    @Test func `the list of steps is complete and without repetition`() {
        #expect(ProofStep.all.count == 15)
        #expect(Set(ProofStep.all.map(\.name)).count == 15)
        #expect(Set(Self.all.map(\.step)).union([.replay]) == Set(ProofStep.all))
        #expect(Set(RejectedProof.sample.map(\.step)).union([.replay]) == Set(ProofStep.all))
    }

    @Test func `without its fault the proof of these cases is accepted`() async throws {
        var scenario = try Scenario()
        var passed: [ProofStep] = []
        _ = try scenario.check([try await scenario.proof().signed()]) { passed.append($0) }
        #expect(passed == ProofStep.all.dropLast())
        scenario.policy.nonces = .required
        var proof = scenario.proof()
        proof.claims["nonce"] = .string(scenario.nonces.nonce(at: scenario.now))
        try scenario.accept(try await proof.signed())
    }

    @Test(arguments: RejectedProof.fields)
    func `attacks 65 to 67, not exactly one field`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.notATokenOfThreeSegments)
    func `attacks 68 and 81, not a JWT in strict compact serialization`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.notJSON)
    func `attack 68, header or payload is not a JSON object`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.types)
    func `attack 69, typ is missing or not dpop+jwt`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.algorithms)
    func `attack 70, alg is missing, none or symmetric`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.algorithmsNotAllowed)
    func `attack 71, alg is not in the list`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.algorithmOfAnotherCurve)
    func `attack 72, alg does not fit the key`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.noKey)
    func `attack 73, jwk is missing`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.privateKeys)
    func `attack 74, jwk is a private or symmetric key`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.malformedKeys + RejectedProof.keysOffTheCurve)
    func `attack 75, jwk is malformed or off the curve`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.rsaKeys)
    func `attack 76, RSA keys`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.keysElsewhere)
    func `attack 77, keys that the header points to`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.critical)
    func `attack 78, crit and b64`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.signatures)
    func `attack 79, the signature does not verify`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.jti)
    func `attack 82, jti`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.htm)
    func `attack 83, htm`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.htu)
    func `attack 84, htu`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.htuPath)
    func `attack 85, htu with another path`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.htuOfAnotherHost)
    func `attack 86, htu of another host`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.iat)
    func `attack 87, iat`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.iatOutsideTheWindow + RejectedProof.iatThatANonceMends)
    func `attack 88, iat outside the window`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.validityPeriod)
    func `exp and nbf hold when they are there`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.ath)
    func `attack 89, ath`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.nonces + RejectedProof.malformedNonces)
    func `attack 96, nonce`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.keyBinding)
    func `attack 97, a proof of another key than the bound one`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.duplicateMembers)
    func `attack 98, duplicate members in header or claims`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RejectedProof.otherKindsOfToken)
    func `attacks 112 and 113, another kind of token as proof`(proof: RejectedProof) async throws {
        try await proof.expectRefusal()
    }
}
