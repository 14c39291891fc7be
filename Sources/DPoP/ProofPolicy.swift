// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem

/// What a server demands of proofs beyond what the specification fixes.
public struct ProofPolicy: Sendable {
    /// The algorithms that are accepted; asymmetric ones only.
    ///
    /// ES256 and Ed25519, under both its names, unless set: every client can have one of them.
    /// ``/JOSE/SignatureAlgorithm`` has more to add, such as `es384` and `ps256`; `rs256` is for clients that have nothing better.
    public var algorithms: Set<SignatureAlgorithm>
    /// Whether a nonce is needed.
    public var nonces: DPoPNoncePolicy
    /// How old the `iat` of a proof may be that is not covered by a nonce.
    public var maximumAge: Duration
    /// How far in the future `iat` may lie: clients' clocks run fast.
    public var futureSkew: Duration
    /// What is longer is refused before anything is decoded, in characters.
    public var maximumLength: Int
    /// Proofs that could have been used before this moment need a nonce: who keeps replay keys in memory forgot those of
    /// an earlier run.
    ///
    /// They are those issued up to ``futureSkew`` after it. Make a new nonce secret at that moment too, else the nonces of
    /// the earlier run let its proofs in again. Without nonces (``DPoPNoncePolicy/off``) this does nothing.
    public var replayMemorySince: Timestamp?

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - algorithms: The algorithms that are accepted.
    ///   - nonces: Whether a nonce is needed.
    ///   - maximumAge: How old `iat` may be without a nonce.
    ///   - futureSkew: How far in the future `iat` may lie.
    ///   - maximumLength: The longest proof, in characters.
    ///   - replayMemorySince: The moment from which on replay keys are known.
    public init(
        algorithms: Set<SignatureAlgorithm> = [.es256, .ed25519, .edDSA],
        nonces: DPoPNoncePolicy = .required,
        maximumAge: Duration = .seconds(300),
        futureSkew: Duration = .seconds(30),
        maximumLength: Int = 8192,
        replayMemorySince: Timestamp? = nil
    ) {
        self.algorithms = algorithms
        self.nonces = nonces
        self.maximumAge = maximumAge
        self.futureSkew = futureSkew
        self.maximumLength = maximumLength
        self.replayMemorySince = replayMemorySince
    }
}
