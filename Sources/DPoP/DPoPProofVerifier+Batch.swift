// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem

extension DPoPProofVerifier {
    /// Checks a proof against its request, without recording it; a batch verifier may verify its signature together
    /// with others.
    ///
    /// The results and the order of the checks are those of ``check(_:against:at:passing:)``. A proof that fails an
    /// earlier check never waits; the caller suspends only while the signature waits for the verifier.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request, not split and not joined.
    ///   - expectation: The request.
    ///   - now: The current time.
    ///   - verifier: Verifies signatures of several callers together; `nil` to verify this one alone.
    /// - Returns: The proof. Record it when no other check rejects the request.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/missingProof``, ``DPoPError/Code/invalidProof``,
    ///   ``DPoPError/Code/nonceRequired``, ``DPoPError/Code/keyMismatch``; ``DPoPError/Code/cancelled`` if the task was
    ///   cancelled while it waited. The step names the check.
    public func check(
        _ fieldValues: [String],
        against expectation: ExpectedRequest,
        at now: Timestamp,
        with verifier: (any SignatureVerifier)?
    ) async throws(DPoPError) -> VerifiedProof {
        let proof = try await readLookingAgain(fieldValues, against: expectation, at: now)
        guard let verifier else {
            try checkSignature(of: proof, isSigned: proof.isSigned())
            return checked(proof, at: now)
        }
        // While the data is still in the processor's cache: after a suspension, the task may resume on another
        // processor.
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

    /// Makes every check that precedes the signature, once more if another process may know the nonce.
    private func readLookingAgain(
        _ fieldValues: [String],
        against expectation: ExpectedRequest,
        at now: Timestamp
    ) async throws(DPoPError) -> UnverifiedProof {
        do {
            return try read(fieldValues, against: expectation, at: now)
        } catch {
            guard error.underlying is UnknownNonce, await nonces.lookAgain(at: now) else { throw error }
            return try read(fieldValues, against: expectation, at: now)
        }
    }

    /// Checks several proofs and verifies their signatures together, without recording them.
    ///
    /// Each result is that of ``check(_:against:at:passing:)``, independent of the other proofs.
    ///
    /// - Parameters:
    ///   - proofs: The proofs and their requests, any number.
    ///   - now: The current time.
    ///   - verifier: Verifies the signatures, without waiting for other callers.
    /// - Returns: For each proof, in the same order, the verified proof or the error.
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

    /// Verifies several proofs and records them, so that each is accepted once: every step of ``ProofStep/all``.
    ///
    /// They are recorded in order: of two equal proofs, the first is accepted.
    ///
    /// - Parameters:
    ///   - proofs: The proofs and their requests, any number.
    ///   - store: The store of used proofs.
    ///   - now: The current time.
    ///   - verifier: Verifies the signatures, without waiting for other callers.
    /// - Returns: For each proof, in the same order, the verified proof or the error; also ``DPoPError/Code/replayed``
    ///   and ``DPoPError/Code/replayStoreUnavailable``.
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
