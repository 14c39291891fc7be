// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem

extension DPoPProofVerifier {
    /// Checks a proof against the request that carried it, its signature together with those of other callers; leaves no
    /// trace.
    ///
    /// The answers are those of ``check(_:against:at:passing:)``, and so is the order of the checks: a proof that is refused
    /// for something else never waits. The caller is suspended only while others are verified.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request, not split and not joined.
    ///   - expectation: The request.
    ///   - now: The time.
    ///   - verifier: Where callers meet; `nil` to verify by itself.
    /// - Returns: The proof, to be recorded when nothing else refuses the request.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/missingProof``, ``DPoPError/Code/invalidProof``,
    ///   ``DPoPError/Code/nonceRequired``, ``DPoPError/Code/keyMismatch``; ``DPoPError/Code/cancelled`` when the task was
    ///   cancelled while it waited. The step names the check.
    public func check(
        _ fieldValues: [String],
        against expectation: ExpectedRequest,
        at now: Timestamp,
        with verifier: (any SignatureVerifier)?
    ) async throws(DPoPError) -> VerifiedProof {
        let proof = try read(fieldValues, against: expectation, at: now)
        guard let verifier else {
            try checkSignature(of: proof, isSigned: proof.isSigned())
            return checked(proof, at: now)
        }
        // While all of it is at hand: who waits may go on on another processor.
        let checked = checked(proof, at: now)
        let isSigned: Bool
        do {
            isSigned = try await verifier.isValid(proof.token)
        } catch {
            throw DPoPError(.cancelled, "the request was given up", step: .signature, underlying: error)
        }
        try checkSignature(of: proof, isSigned: isSigned)
        return checked
    }

    /// Checks several proofs, their signatures together; leaves no trace.
    ///
    /// Each gets the answer that ``check(_:against:at:passing:)`` gives, whatever the others are.
    ///
    /// - Parameters:
    ///   - proofs: The proofs and their requests, any number.
    ///   - now: The time.
    ///   - verifier: What verifies; its callers are not waited for.
    /// - Returns: For each proof, in their order, the proof or why it is refused.
    public func check(
        batch proofs: [PresentedProof],
        at now: Timestamp,
        with verifier: any SignatureVerifier
    ) -> [Result<VerifiedProof, DPoPError>] {
        let read = proofs.map { proof in
            Result { () throws(DPoPError) in try self.read(proof.fieldValues, against: proof.expectation, at: now) }
        }
        var verdicts = verifier.areValid(read.compactMap { try? $0.get().token }).makeIterator()
        return read.map { result in
            Result { () throws(DPoPError) in
                let proof = try result.get()
                try checkSignature(of: proof, isSigned: verdicts.next() ?? false)
                return checked(proof, at: now)
            }
        }
    }

    /// Verifies several proofs and records them, so that each works once: every step of ``ProofStep/all``.
    ///
    /// They are recorded in their order: of two that are the same, the first one is accepted.
    ///
    /// - Parameters:
    ///   - proofs: The proofs and their requests, any number.
    ///   - store: Where used proofs are remembered.
    ///   - now: The time.
    ///   - verifier: What verifies; its callers are not waited for.
    /// - Returns: For each proof, in their order, the proof or why it is refused; also ``DPoPError/Code/replayed`` and
    ///   ``DPoPError/Code/replayStoreUnavailable``.
    public func verify(
        batch proofs: [PresentedProof],
        replay store: some ReplayStore,
        at now: Timestamp,
        with verifier: any SignatureVerifier
    ) async -> [Result<VerifiedProof, DPoPError>] {
        var results = check(batch: proofs, at: now, with: verifier)
        for (index, result) in results.enumerated() {
            guard case .success(let proof) = result else { continue }
            do throws(DPoPError) {
                try await record(proof, in: store, at: now)
            } catch {
                results[index] = .failure(error)
            }
        }
        return results
    }
}
