// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem

/// Creates and verifies proofs in one call each.
///
/// <!-- given: let key: any SigningKey; let token: String; import JOSE -->
/// ```swift
/// let service = DPoPService()
/// let proof = try await service.createProof(with: key, method: "GET", uri: "https://api.example.com/me", accessToken:
/// token)
/// let verified = try await service.verifyProof([proof], method: "GET", uri: "https://api.example.com/me", accessToken:
/// token)
/// print(verified.jwkThumbprint)
/// ```
public struct DPoPService: Sendable {
    private let verifier: DPoPProofVerifier
    private let replay: any ReplayStore
    private let clock: any WallClock
    private let entropy: any Entropy

    /// Creates a service that verifies proofs for one kind of server.
    ///
    /// - Parameters:
    ///   - policy: The rules for proofs; by default without nonces, since this service does not send any.
    ///   - nonces: Issues nonces; required if the policy requires nonces.
    ///   - replay: The store of used proofs.
    ///   - clock: The source of the current time and of `iat`.
    ///   - entropy: The source of randomness for `jti`.
    public init(
        policy: ProofPolicy = ProofPolicy(nonces: .off),
        nonces: DPoPNonceIssuer? = nil,
        replay: any ReplayStore = MemoryReplayStore(),
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy()
    ) {
        // Without secrets no nonce is valid: a policy that requires nonces then rejects every proof.
        verifier = DPoPProofVerifier(
            policy: policy,
            nonces: nonces ?? DPoPNonceIssuer(role: .resourceServer, secrets: [])
        )
        self.replay = replay
        self.clock = clock
        self.entropy = entropy
    }

    /// Creates a proof.
    ///
    /// - Parameters:
    ///   - key: The key that signs.
    ///   - method: The method of the request, exactly as it is sent.
    ///   - uri: The absolute URI of the request, exactly as it is sent; query and fragment are dropped.
    ///   - accessToken: The access token that the request carries; `nil` at the token endpoint.
    ///   - nonce: The newest nonce of the server.
    /// - Returns: The value of the `DPoP` field.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/invalidTargetURI``, ``DPoPError/Code/signingFailed``.
    public func createProof(
        with key: any SigningKey,
        method: String,
        uri: String,
        accessToken: String? = nil,
        nonce: String? = nil
    ) async throws(DPoPError) -> String {
        try await DPoPProofFactory(key: key, clock: clock, entropy: entropy)
            .proof(method: method, targetURI: TargetURI(parsing: uri), accessToken: accessToken, nonce: nonce)
    }

    /// Verifies a proof, and records it, so that it is accepted once.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request.
    ///   - method: The method of the request, as received.
    ///   - uri: The public URI of the request.
    ///   - accessToken: The access token of the request; `nil` at the token endpoint.
    ///   - thumbprint: The key that the token is bound to (`cnf.jkt`).
    /// - Returns: The proof: its key, thumbprint, header and payload.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/missingProof``, ``DPoPError/Code/invalidProof``,
    ///   ``DPoPError/Code/nonceRequired``, ``DPoPError/Code/keyMismatch``, ``DPoPError/Code/replayed``,
    ///   ``DPoPError/Code/replayStoreUnavailable``; the step names the check. ``DPoPError/Code/invalidTargetURI`` for
    ///   `uri`.
    public func verifyProof(
        _ fieldValues: [String],
        method: String,
        uri: String,
        accessToken: String? = nil,
        thumbprint: JWKThumbprint? = nil
    ) async throws(DPoPError) -> VerifiedProof {
        func verify(_ store: some ReplayStore) async throws(DPoPError) -> VerifiedProof {
            try await verifier.verify(
                fieldValues,
                method: method,
                uri: uri,
                accessToken: accessToken,
                thumbprint: thumbprint,
                replay: store,
                at: clock.now()
            )
        }
        return try await verify(replay)
    }
}
