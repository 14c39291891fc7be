// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem

/// A server's rules for proofs, where the specification leaves a choice.
public struct ProofPolicy: Sendable {
    /// The accepted algorithms; all are asymmetric.
    ///
    /// By default ES256 and Ed25519, the latter under both its names: every client supports one of them.
    /// ``/JOSE/SignatureAlgorithm`` has more, such as `es384` and `ps256`; allow `rs256` only for clients that support
    /// nothing better.
    public var algorithms: Set<SignatureAlgorithm>
    /// When a nonce is required.
    public var nonces: DPoPNoncePolicy
    /// The maximum age of a proof by its `iat`, if it has no valid nonce.
    public var maximumAge: Duration
    /// How far `iat` may lie in the future, for clients whose clocks run fast.
    public var futureSkew: Duration
    /// The maximum length in characters.
    ///
    /// A longer proof is rejected before decoding.
    public var maximumLength: Int
    /// Proofs that could have been used before this moment need a nonce.
    ///
    /// Set it if replay keys are kept in memory, since those of an earlier run are lost.
    ///
    /// These are the proofs with an `iat` of up to ``futureSkew`` after it. Generate a new nonce secret at that moment
    /// too; otherwise proofs with nonces of the earlier run are accepted again. With ``DPoPNoncePolicy/off`` this has
    /// no effect.
    public var replayMemorySince: Timestamp?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - algorithms: The accepted algorithms.
    ///   - nonces: When a nonce is required.
    ///   - maximumAge: The maximum age of `iat` without a nonce.
    ///   - futureSkew: How far in the future `iat` may lie.
    ///   - maximumLength: The maximum length of a proof, in characters.
    ///   - replayMemorySince: The moment since which replay keys are known.
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
