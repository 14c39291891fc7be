// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthSystem

/// Verifies DPoP proofs, for authorization servers, resource servers and the command line.
///
/// The checks that only read run first, the cheapest of them at the start; then the signature is verified. The proof is
/// recorded last, after all other checks of the request have passed, so that it is accepted once.
///
/// ## Specification
///
/// [RFC 9449 §4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)
public struct DPoPProofVerifier: Sendable {
    /// The rules for proofs.
    public let policy: ProofPolicy
    let nonces: DPoPNonceIssuer
    private let headers: HeaderCache

    /// Creates a verifier.
    ///
    /// Reuse it: it caches the headers of several hundred keys.
    ///
    /// - Parameters:
    ///   - policy: The rules for proofs.
    ///   - nonces: Issues and validates nonces.
    public init(policy: ProofPolicy = ProofPolicy(), nonces: DPoPNonceIssuer) {
        self.init(policy: policy, nonces: nonces, HeaderCache())
    }

    private init(policy: ProofPolicy, nonces: DPoPNonceIssuer, _ headers: HeaderCache) {
        (self.policy, self.nonces, self.headers) = (policy, nonces, headers)
    }

    /// A copy of the verifier with another policy for nonces.
    ///
    /// - Parameter nonces: When nonces are required.
    /// - Returns: A verifier that shares the header cache of this one.
    package func demanding(_ nonces: DPoPNoncePolicy) -> DPoPProofVerifier {
        var policy = policy
        policy.nonces = nonces
        // Cached headers do not depend on the nonce policy.
        return DPoPProofVerifier(policy: policy, nonces: self.nonces, headers)
    }

    /// Checks a proof against its request, without recording it.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request, not split and not joined.
    ///   - expectation: The request.
    ///   - now: The current time.
    ///   - passing: Called with each passed step, in order.
    /// - Returns: The proof. Record it when no other check rejects the request.
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

    /// Applies the result of the signature verification.
    ///
    /// The header of a key that signs again is cached.
    func checkSignature(of proof: UnverifiedProof, isSigned: Bool) throws(DPoPError) {
        try CheckSignature.run(isSigned: isSigned)
        if !proof.isHeaderKnown { headers.note(proof.header, of: proof.jws) }
    }

    /// Makes every check that precedes the signature.
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
        // Before the nonce is checked: if a new memory starts in between, the proof fits neither and is rejected.
        let epoch = policy.nonces == .off ? nil : nonces.epoch
        let nonceAge = try checkContext(of: claims, against: expectation, epoch, at: now, passing: passing)
        try CheckKeyBinding.run(header.thumbprint, expected: expectation.thumbprint)
        passing(.keyBinding)
        return UnverifiedProof(
            jws: token.jws,
            header: header,
            isHeaderKnown: token.knownHeader != nil,
            claims: claims,
            nonceAge: nonceAge,
            replayEpoch: epoch
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

    /// Makes the checks that depend only on the header and the policy.
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

    /// Builds the result for a proof whose signature was verified.
    func checked(_ proof: UnverifiedProof, at now: Timestamp) -> VerifiedProof {
        VerifiedProof(
            checkedHeader: proof.header,
            claims: proof.claims,
            nonceAge: proof.nonceAge,
            replayEpoch: proof.replayEpoch,
            replayKey: proof.claims.replayKey(of: proof.header.thumbprint),
            retainUntil: retention(of: proof.claims, nonceAge: proof.nonceAge, now: now)
        )
    }

    /// Checks the claims against the request and the time; returns the age of the nonce.
    private func checkContext(
        of claims: ProofClaims,
        against expectation: ExpectedRequest,
        _ epoch: ReplayEpoch?,
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
        let since = policy.replayMemorySince ?? epoch?.since
        try CheckFreshness.run(
            issuedAt: claims.issuedAt,
            nonceAge: nonceAge,
            memorySince: since,
            policy: policy,
            now: now
        )
        passing(.freshness)
        return nonceAge
    }

    /// Records a proof that passed every other check, so that it is accepted once.
    ///
    /// - Parameters:
    ///   - proof: The proof.
    ///   - store: The store of used proofs.
    ///   - now: The current time.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/replayed``, ``DPoPError/Code/replayStoreUnavailable``, and
    ///   ``DPoPError/Code/nonceRequired`` if the store has started a new memory since the nonce was made.
    public func record(
        _ proof: VerifiedProof,
        in store: some ReplayStore,
        at now: Timestamp
    ) async throws(DPoPError) {
        let insertion: ReplayInsertion
        do {
            insertion = try await store.insert(
                proof.replayKey,
                until: proof.retainUntil,
                now: now,
                in: proof.replayEpoch
            )
        } catch {
            // If the store cannot tell whether a proof was used, the proof is rejected.
            throw DPoPError(
                .replayStoreUnavailable,
                "the replay store does not answer",
                step: .replay,
                underlying: error
            )
        }
        if case .otherEpoch(let epoch) = insertion { nonces.start(epoch) }
        try CheckReplay.run(insertion)
    }

    /// Records a proof in memory, without suspending.
    ///
    /// - Parameters:
    ///   - proof: The proof.
    ///   - store: The store of used proofs.
    ///   - now: The current time.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/replayed``, ``DPoPError/Code/replayStoreUnavailable``.
    public func record(_ proof: VerifiedProof, in store: MemoryReplayStore, at now: Timestamp) throws(DPoPError) {
        try CheckReplay.run(store.insert(proof.replayKey, until: proof.retainUntil, now: now))
    }

    /// The nonce to send with a response: for `use_dpop_nonce`, or when the client's nonce is about to expire.
    ///
    /// - Parameters:
    ///   - proof: The proof of the request; `nil` if it was rejected for its nonce.
    ///   - now: The current time.
    /// - Returns: The value for `DPoP-Nonce`; `nil` if the client needs none (RFC 9449 section 8.2).
    public func nonceToOffer(after proof: VerifiedProof?, at now: Timestamp) -> String? {
        guard policy.nonces != .off else { return nil }
        guard let proof else { return newNonce(at: now) }
        guard let age = proof.nonceAge else {
            // Section 11.3: once a server has issued nonces it must require them. With `onSkew`, only a client that
            // needs a nonce gets one.
            return policy.nonces == .required ? newNonce(at: now) : nil
        }
        return age * 2 > DPoPNonceIssuer.lifetime ? newNonce(at: now) : nil
    }

    /// `nil` without a secret: an empty field would not be a nonce (section 8.1).
    private func newNonce(at now: Timestamp) -> String? {
        let nonce = nonces.nonce(at: now)
        return nonce.isEmpty ? nil : nonce
    }

    /// Until when a used proof is stored: longer than it could be accepted.
    private func retention(of claims: ProofClaims, nonceAge: Duration?, now: Timestamp) -> Timestamp {
        let margin = ReplayKey.margin
        guard let nonceAge else { return claims.issuedAt + (policy.maximumAge + margin) }
        return now + (DPoPNonceIssuer.lifetime - nonceAge + margin)
    }
}
