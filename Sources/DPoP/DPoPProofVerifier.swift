// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthSystem

/// Checks DPoP proofs: the one verifier of authorization servers, resource servers and the command line.
///
/// The order of work: everything that only reads, cheapest first; then the signature; last, and only when the caller has
/// nothing else to refuse the request for, the proof is recorded so that it works once.
///
/// ## Specification
///
/// [RFC 9449 §4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)
public struct DPoPProofVerifier: Sendable {
    /// What is demanded of proofs.
    public let policy: ProofPolicy
    private let nonces: DPoPNonceIssuer
    private let headers: HeaderCache

    /// Makes a verifier; it remembers the headers of some hundred keys, so one that lives long is quicker.
    ///
    /// - Parameters:
    ///   - policy: What is demanded of proofs.
    ///   - nonces: Who gives nonces out and recognises them.
    public init(policy: ProofPolicy = ProofPolicy(), nonces: DPoPNonceIssuer) {
        self.init(policy: policy, nonces: nonces, HeaderCache())
    }

    private init(policy: ProofPolicy, nonces: DPoPNonceIssuer, _ headers: HeaderCache) {
        (self.policy, self.nonces, self.headers) = (policy, nonces, headers)
    }

    /// The same verifier with another demand for nonces.
    ///
    /// - Parameter nonces: When nonces are demanded.
    /// - Returns: A verifier that shares what this one remembers.
    package func demanding(_ nonces: DPoPNoncePolicy) -> DPoPProofVerifier {
        var policy = policy
        policy.nonces = nonces
        // What is remembered of a header does not depend on nonces.
        return DPoPProofVerifier(policy: policy, nonces: self.nonces, headers)
    }

    /// Checks a proof against the request that carried it; leaves no trace.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request, not split and not joined.
    ///   - expectation: The request.
    ///   - now: The time.
    ///   - passing: Called with each step that passed, in order.
    /// - Returns: The proof, to be recorded when nothing else refuses the request.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/missingProof``, ``DPoPError/Code/invalidProof``,
    ///   ``DPoPError/Code/nonceRequired``, ``DPoPError/Code/keyMismatch``; the step names the check.
    public func check(
        _ fieldValues: [String],
        against expectation: ExpectedRequest,
        at now: Timestamp,
        passing: (ProofStep) -> Void = { _ in }
    ) throws(DPoPError) -> VerifiedProof {
        let proof = try read(fieldValues, against: expectation, at: now, passing: passing)
        try checkSignature(of: proof, isSigned: proof.isSigned())
        passing(.signature)
        return checked(proof, at: now)
    }

    /// The check of the signature, which was verified; whoever signs again has a header that is known.
    func checkSignature(of proof: UnverifiedProof, isSigned: Bool) throws(DPoPError) {
        try CheckSignature.run(isSigned: isSigned)
        if !proof.isHeaderKnown { headers.note(proof.header, of: proof.jws) }
    }

    /// Every check before the signature.
    func read(
        _ fieldValues: [String],
        against expectation: ExpectedRequest,
        at now: Timestamp,
        passing: (ProofStep) -> Void = { _ in }
    ) throws(DPoPError) -> UnverifiedProof {
        let value = try CheckSingleField.run(fieldValues)
        passing(.singleField)
        let token = try CheckWellFormed.run(value, maximumLength: policy.maximumLength, headers)
        passing(.wellFormed)
        let header = try header(of: token, passing: passing)
        let claims = try CheckRequiredClaims.run(token.payload)
        passing(.requiredClaims)
        let nonceAge = try checkContext(of: claims, against: expectation, at: now, passing: passing)
        try CheckKeyBinding.run(header.thumbprint, expected: expectation.thumbprint)
        passing(.keyBinding)
        return UnverifiedProof(
            jws: token.jws,
            header: header,
            isHeaderKnown: token.knownHeader != nil,
            claims: claims,
            nonceAge: nonceAge
        )
    }

    private func header(
        of token: CheckWellFormed.Token,
        passing: (ProofStep) -> Void
    ) throws(DPoPError) -> VerifiedHeader {
        guard let known = token.knownHeader else { return try checkHeader(of: token.jws, passing: passing) }
        passing(.type)
        passing(.algorithm)
        passing(.publicKey)
        return known
    }

    /// The checks that depend on nothing but the header and what the policy allows.
    private func checkHeader(
        of jws: CompactJWS,
        passing: (ProofStep) -> Void
    ) throws(DPoPError) -> VerifiedHeader {
        try CheckType.run(jws.header)
        passing(.type)
        try CheckAlgorithm.run(jws.algorithm, policy: policy)
        passing(.algorithm)
        let key = try CheckPublicKey.run(jws.header, algorithm: jws.algorithm)
        passing(.publicKey)
        return VerifiedHeader(of: jws, key: key)
    }

    /// What is known of a proof whose signature was verified.
    func checked(_ proof: UnverifiedProof, at now: Timestamp) -> VerifiedProof {
        VerifiedProof(
            checkedHeader: proof.header,
            claims: proof.claims,
            nonceAge: proof.nonceAge,
            replayKey: proof.claims.replayKey(of: proof.header.thumbprint),
            retainUntil: retention(of: proof.claims, nonceAge: proof.nonceAge, now: now)
        )
    }

    /// The checks of claims against the request and the time; returns the age of the nonce.
    private func checkContext(
        of claims: ProofClaims,
        against expectation: ExpectedRequest,
        at now: Timestamp,
        passing: (ProofStep) -> Void
    ) throws(DPoPError) -> Duration? {
        try CheckMethod.run(claims, method: expectation.method)
        passing(.method)
        try CheckTargetURI.run(claims, targetURI: expectation.targetURI)
        passing(.targetURI)
        try CheckValidityPeriod.run(claims, policy: policy, now: now)
        passing(.validityPeriod)
        try CheckAccessTokenHash.run(claims, accessToken: expectation.accessToken)
        passing(.accessTokenHash)
        let nonceAge = try CheckNonce.run(claims, policy: policy, issuer: nonces, now: now)
        passing(.nonce)
        try CheckFreshness.run(issuedAt: claims.issuedAt, nonceAge: nonceAge, policy: policy, now: now)
        passing(.freshness)
        return nonceAge
    }

    /// Records a proof that passed every other check, so that it works once.
    ///
    /// - Parameters:
    ///   - proof: The proof.
    ///   - store: Where used proofs are remembered.
    ///   - now: The time.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/replayed``, ``DPoPError/Code/replayStoreUnavailable``.
    public func record(
        _ proof: VerifiedProof,
        in store: some ReplayStore,
        at now: Timestamp
    ) async throws(DPoPError) {
        let insertion: ReplayInsertion
        do {
            insertion = try await store.insert(proof.replayKey, until: proof.retainUntil, now: now)
        } catch {
            // Not knowing whether a proof was used means refusing it.
            throw DPoPError(
                .replayStoreUnavailable,
                "the replay store does not answer",
                step: .replay,
                underlying: error
            )
        }
        try CheckReplay.run(insertion)
    }

    /// Records a proof in memory, without suspending.
    ///
    /// - Parameters:
    ///   - proof: The proof.
    ///   - store: Where used proofs are remembered.
    ///   - now: The time.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/replayed``, ``DPoPError/Code/replayStoreUnavailable``.
    public func record(_ proof: VerifiedProof, in store: MemoryReplayStore, at now: Timestamp) throws(DPoPError) {
        try CheckReplay.run(store.insert(proof.replayKey, until: proof.retainUntil, now: now))
    }

    /// The nonce to send with the answer to a request: for `use_dpop_nonce`, or when the client's grows old.
    ///
    /// - Parameters:
    ///   - proof: The proof of the request; `nil` when it was refused for its nonce.
    ///   - now: The time.
    /// - Returns: The value for `DPoP-Nonce`; `nil` when the client needs none (RFC 9449 section 8.2).
    public func nonceToOffer(after proof: VerifiedProof?, at now: Timestamp) -> String? {
        guard policy.nonces != .off else { return nil }
        guard let proof else { return newNonce(at: now) }
        guard let age = proof.nonceAge else {
            // Section 11.3: once given out, nonces are demanded; so with `onSkew` only who needs one gets one.
            return policy.nonces == .required ? newNonce(at: now) : nil
        }
        return age * 2 > DPoPNonceIssuer.lifetime ? newNonce(at: now) : nil
    }

    /// `nil` without a secret: an empty field would not be a nonce (section 8.1).
    private func newNonce(at now: Timestamp) -> String? {
        let nonce = nonces.nonce(at: now)
        return nonce.isEmpty ? nil : nonce
    }

    /// A minute longer than the proof could be accepted, for clocks that step back.
    private func retention(of claims: ProofClaims, nonceAge: Duration?, now: Timestamp) -> Timestamp {
        let margin = Duration.seconds(60)
        guard let nonceAge else { return claims.issuedAt + (policy.maximumAge + margin) }
        return now + (DPoPNonceIssuer.lifetime - nonceAge + margin)
    }
}
