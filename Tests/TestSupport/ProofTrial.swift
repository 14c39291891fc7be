// SPDX-License-Identifier: Apache-2.0

public import DPoP
import JOSE
import OAuthSystem

/// Valid proofs of every algorithm that is allowed by default, changed at random and sent to the verifier.
public struct ProofTrial {
    /// The result of a changed proof.
    public enum Verdict: Sendable, Hashable {
        /// A check rejected it.
        case refused(ProofStep)
        /// The changes cancelled each other out: the replay store rejected the original, which was used before.
        case unchanged
        /// It is the original with the other signature that every ECDSA signature has; the replay store rejected it.
        case twin
        /// It was accepted although its meaning differs, was not in the replay store, or failed without a check.
        case finding(String)
    }

    /// The proofs as signed, each used once.
    public let originals: [String]
    private let verifier: DPoPProofVerifier
    private let expectation: ExpectedRequest
    private let store = MemoryReplayStore()
    private let now = Timestamp(secondsSince1970: 1_790_000_000)
    private var mutator: TokenMutator

    /// The vectors lack a required key.
    public struct NoKey: Error {}

    /// Signs the proofs and uses each once.
    ///
    /// - Parameter seed: The same seed gives the same changes; signatures of ES256 differ in every run.
    /// - Throws: An error if a proof cannot be signed, or is not accepted.
    public init(seed: UInt64) async throws {
        let uri = "https://api.example.com/me"
        let policy = ProofPolicy(nonces: .off)
        var originals: [String] = []
        for algorithm in policy.algorithms.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let vector = PeerVector.accepted.first(where: { $0.description == algorithm.rawValue }) else {
                throw NoKey()
            }
            let key = try SoftwareSigningKey(
                privateKeyBytes: vector.privateKey,
                algorithm: algorithm,
                protection: .memory
            )
            // Two of each, so that parts of one fit the other.
            for number in 1...2 {
                let proof = ProofBuilder(key: key, method: "GET", uri: uri, at: now, jti: "\(algorithm)-\(number)")
                originals.append(try await proof.signed())
            }
        }
        self.originals = originals
        expectation = ExpectedRequest(method: "GET", targetURI: try TargetURI(parsing: uri))
        verifier = DPoPProofVerifier(policy: policy, nonces: DPoPNonceIssuer(role: .resourceServer, secrets: []))
        mutator = TokenMutator(originals: originals, seed: seed)
        try useOriginals()
    }

    private func useOriginals() throws(DPoPError) {
        for original in originals {
            try verifier.record(verifier.check([original], against: expectation, at: now), in: store, at: now)
        }
    }

    /// How many proofs are stored: more than the originals means that a changed one was accepted.
    public var rememberedCount: Int { store.count }

    /// Changes a proof and sends it to the verifier.
    ///
    /// - Returns: The result.
    public mutating func next() -> Verdict {
        let proof = mutator.next()
        do {
            let checked = try verifier.check([proof], against: expectation, at: now)
            guard originals.contains(where: { TokenTwin.hasSameMeaning(proof, as: $0) }) else {
                return .finding("accepted: \(proof)")
            }
            try verifier.record(checked, in: store, at: now)
            return .finding("not recognised as used: \(proof)")
        } catch {
            guard let step = error.step else { return .finding("\(error) without a step: \(proof)") }
            guard error.code == .replayed else { return .refused(step) }
            return originals.contains { $0.utf8.elementsEqual(proof.utf8) } ? .unchanged : .twin
        }
    }
}
