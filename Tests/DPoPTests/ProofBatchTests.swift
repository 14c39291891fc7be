// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BatchVerification
import DPoP
import JOSE
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("Proofs verified together")
struct ProofBatchTests {
    private func verifier(_ scenario: Scenario) -> DPoPProofVerifier {
        DPoPProofVerifier(policy: scenario.policy, nonces: scenario.nonces)
    }

    /// Good proofs, bad signatures and other faults by turns.
    private func proofs(_ scenario: Scenario, _ count: Int) async throws -> [PresentedProof] {
        var proofs: [PresentedProof] = []
        for number in 0..<count {
            var builder = scenario.proof(jti: "proof-number-\(number)")
            if number % 5 == 3 { builder.claims["htm"] = "POST" }
            var text = try await builder.signed()
            if number % 5 == 1 { text = String(text.dropLast(8)) + "AAAAAAAA" }
            proofs.append(PresentedProof(number % 7 == 6 ? [text, text] : [text], for: scenario.expectation))
        }
        return proofs
    }

    private func outcome(_ result: Result<VerifiedProof, DPoPError>) -> String {
        switch result {
        case .success(let proof): proof.payload.string("jti") ?? ""
        case .failure(let error): error.description
        }
    }

    @Test func `each proof of a batch gets the answer that it gets alone`() async throws {
        let scenario = try Scenario()
        let batcher = SignatureBatcher(try TestLanes.backend())
        let proofs = try await proofs(scenario, 70)
        let alone = proofs.map { proof in
            Result { () throws(DPoPError) in try scenario.check(proof.fieldValues) }
        }
        let together = verifier(scenario).check(batch: proofs, at: scenario.now, with: batcher)
        #expect(together.map(outcome) == alone.map(outcome))
        #expect(Set(together.map(outcome)).count > 30)
        #expect(verifier(scenario).check(batch: [], at: scenario.now, with: batcher).isEmpty)
    }

    @Test func `of two that are the same the first one is accepted`() async throws {
        let scenario = try Scenario()
        let text = try await scenario.proof().signed()
        let proofs = (0..<4).map { _ in PresentedProof([text], for: scenario.expectation) }
        let results = await verifier(scenario).verify(
            batch: proofs,
            replay: MemoryReplayStore(),
            at: scenario.now,
            with: SignatureBatcher(try TestLanes.backend())
        )
        let codes = results.map { result in failure { try result.get() }?.code }
        #expect(codes == [nil, .replayed, .replayed, .replayed])
    }

    @Test func `callers that meet get the answers that they get alone`() async throws {
        let scenario = try Scenario()
        let batcher = SignatureBatcher(try TestLanes.backend(), verifiers: 1)
        let verifier = verifier(scenario)
        let proofs = try await proofs(scenario, 210)
        await withTaskGroup(of: Void.self) { group in
            for proof in proofs {
                group.addTask { @concurrent in
                    let alone = Result { () throws(DPoPError) in try scenario.check(proof.fieldValues) }
                    let together: Result<VerifiedProof, DPoPError>
                    do throws(DPoPError) {
                        together = .success(
                            try await verifier.check(
                                proof.fieldValues,
                                against: proof.expectation,
                                at: scenario.now,
                                with: batcher
                            )
                        )
                    } catch {
                        together = .failure(error)
                    }
                    #expect(outcome(together) == outcome(alone))
                }
            }
        }
    }
}
#endif
