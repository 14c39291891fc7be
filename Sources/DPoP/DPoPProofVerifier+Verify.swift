// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem

extension DPoPProofVerifier {
    /// Verifies a proof and records it, so that it is accepted once: every step of ``ProofStep/all`` in one call.
    ///
    /// For servers that check nothing else about the request. Other servers call ``check(_:against:at:passing:)``
    /// first, make their own checks, and finally call ``record(_:in:at:)-(_,ReplayStore,_)``.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request, not split and not joined.
    ///   - method: The method of the request, as received.
    ///   - uri: The public URI of the request: the configured public address and the path, never `Host`.
    ///   - accessToken: The access token of the request; `nil` at the token endpoint.
    ///   - thumbprint: The key that the token is bound to (`cnf.jkt`); `nil` if the caller compares the key itself.
    ///   - store: The store of used proofs.
    ///   - now: The current time.
    /// - Returns: The proof: its key, thumbprint, header and payload.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/missingProof``, ``DPoPError/Code/invalidProof``,
    ///   ``DPoPError/Code/nonceRequired``, ``DPoPError/Code/keyMismatch``, ``DPoPError/Code/replayed``,
    ///   ``DPoPError/Code/replayStoreUnavailable``; the step names the check. ``DPoPError/Code/invalidTargetURI`` for
    ///   `uri`.
    public func verify(
        _ fieldValues: [String],
        method: String,
        uri: String,
        accessToken: String? = nil,
        thumbprint: JWKThumbprint? = nil,
        replay store: some ReplayStore,
        at now: Timestamp
    ) async throws(DPoPError) -> VerifiedProof {
        let proof = try check(fieldValues, method, uri, accessToken, thumbprint, at: now)
        try await record(proof, in: store, at: now)
        return proof
    }

    /// Verifies a proof and records it in memory, without suspending: for servers that are not asynchronous.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request, not split and not joined.
    ///   - method: The method of the request, as received.
    ///   - uri: The public URI of the request: the configured public address and the path, never `Host`.
    ///   - accessToken: The access token of the request; `nil` at the token endpoint.
    ///   - thumbprint: The key that the token is bound to (`cnf.jkt`); `nil` if the caller compares the key itself.
    ///   - store: The store of used proofs.
    ///   - now: The current time.
    /// - Returns: The proof: its key, thumbprint, header and payload.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/missingProof``, ``DPoPError/Code/invalidProof``,
    ///   ``DPoPError/Code/nonceRequired``, ``DPoPError/Code/keyMismatch``, ``DPoPError/Code/replayed``,
    ///   ``DPoPError/Code/replayStoreUnavailable``; the step names the check. ``DPoPError/Code/invalidTargetURI`` for
    ///   `uri`.
    public func verify(
        _ fieldValues: [String],
        method: String,
        uri: String,
        accessToken: String? = nil,
        thumbprint: JWKThumbprint? = nil,
        replay store: MemoryReplayStore,
        at now: Timestamp
    ) throws(DPoPError) -> VerifiedProof {
        let proof = try check(fieldValues, method, uri, accessToken, thumbprint, at: now)
        try record(proof, in: store, at: now)
        return proof
    }

    private func check(
        _ fieldValues: [String],
        _ method: String,
        _ uri: String,
        _ accessToken: String?,
        _ thumbprint: JWKThumbprint?,
        at now: Timestamp
    ) throws(DPoPError) -> VerifiedProof {
        let expectation = try ExpectedRequest(
            method: method,
            targetURI: TargetURI(parsing: uri),
            accessToken: accessToken,
            thumbprint: thumbprint
        )
        return try check(fieldValues, against: expectation, at: now)
    }
}
