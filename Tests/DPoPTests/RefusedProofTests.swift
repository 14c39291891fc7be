// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 section 4.3: proofs that must be refused")
struct RefusedProofTests {
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
        #expect(Set(RefusedProof.sample.map(\.step)).union([.replay]) == Set(ProofStep.all))
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

    @Test(arguments: RefusedProof.fields)
    func `attacks 65 to 67, not exactly one field`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.notATokenOfThreeSegments)
    func `attacks 68 and 81, not a JWT in strict compact serialization`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.notJSON)
    func `attack 68, header or payload is not a JSON object`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.types)
    func `attack 69, typ is missing or not dpop+jwt`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.algorithms)
    func `attack 70, alg is missing, none or symmetric`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.algorithmsNotAllowed)
    func `attack 71, alg is not in the list`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.algorithmOfAnotherCurve)
    func `attack 72, alg does not fit the key`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.noKey)
    func `attack 73, jwk is missing`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.privateKeys)
    func `attack 74, jwk is a private or symmetric key`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.malformedKeys + RefusedProof.keysOffTheCurve)
    func `attack 75, jwk is malformed or off the curve`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.rsaKeys)
    func `attack 76, RSA keys`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.keysElsewhere)
    func `attack 77, keys that the header points to`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.critical)
    func `attack 78, crit and b64`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.signatures)
    func `attack 79, the signature does not verify`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.jti)
    func `attack 82, jti`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.htm)
    func `attack 83, htm`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.htu)
    func `attack 84, htu`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.htuPath)
    func `attack 85, htu with another path`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.htuOfAnotherHost)
    func `attack 86, htu of another host`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.iat)
    func `attack 87, iat`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.iatOutsideTheWindow + RefusedProof.iatThatANonceMends)
    func `attack 88, iat outside the window`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.validityPeriod)
    func `exp and nbf hold when they are there`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.ath)
    func `attack 89, ath`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.nonces + RefusedProof.malformedNonces)
    func `attack 96, nonce`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.keyBinding)
    func `attack 97, a proof of another key than the bound one`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.duplicateMembers)
    func `attack 98, duplicate members in header or claims`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }

    @Test(arguments: RefusedProof.otherKindsOfToken)
    func `attacks 112 and 113, another kind of token as proof`(proof: RefusedProof) async throws {
        try await proof.expectRefusal()
    }
}
