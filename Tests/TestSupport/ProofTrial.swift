// SPDX-License-Identifier: Apache-2.0

public import DPoP
import JOSE
import OAuthSystem

/// Valid proofs of every algorithm that is allowed by default, changed at random and shown to the verifier.
public struct ProofTrial {
    /// What became of a changed proof.
    public enum Verdict: Sendable, Hashable {
        /// A check refused it.
        case refused(ProofStep)
        /// The changes cancelled each other: it is the original, which was used before, and the replay store refused it.
        case unchanged
        /// It is the original with the other signature that every ECDSA signature has; the replay store refused it.
        case twin
        /// It was accepted although it means something else, was not known to the replay store, or failed without a check.
        case finding(String)
    }

    /// The proofs as they were signed, each used once.
    public let originals: [String]
    private let verifier: DPoPProofVerifier
    private let expectation: ProofExpectation
    private let store = MemoryReplayStore()
    private let now = Timestamp(secondsSince1970: 1_790_000_000)
    private var mutator: TokenMutator

    /// A key that is needed is not in the vectors.
    public struct NoKey: Error {}

    /// Signs the proofs and uses each once.
    ///
    /// - Parameter seed: The same seed gives the same changes; signatures of ES256 differ in every run.
    /// - Throws: When a proof cannot be signed, or is not accepted.
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
        expectation = ProofExpectation(method: "GET", targetURI: try TargetURI(parsing: uri))
        verifier = DPoPProofVerifier(policy: policy, nonces: DPoPNonceIssuer(role: .resourceServer, secrets: []))
        mutator = TokenMutator(originals: originals, seed: seed)
        try useOriginals()
    }

    private func useOriginals() throws(DPoPError) {
        for original in originals {
            try verifier.record(verifier.check([original], against: expectation, at: now), in: store, at: now)
        }
    }

    /// How many proofs are remembered: as many as there are originals, or a changed one got in.
    public var rememberedCount: Int { store.count }

    /// Changes a proof and shows it to the verifier.
    ///
    /// - Returns: What became of it.
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
