// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCrypto

/// A library that verifies eight signatures in the time of two or three: `libcrypto_mb` on processors with AVX-512 IFMA.
///
/// It is loaded while the program runs and never needed: without it signatures are verified one by one, with the same
/// answers. Before it is believed it has to give known answers. ES256, ES384 and EdDSA are verified with it; what is not
/// checked in its lanes, such as a key that is no point of the curve, is checked before.
///
/// ## Specification
///
/// [RFC 7518 §3.4](https://www.rfc-editor.org/rfc/rfc7518#section-3.4),
/// [RFC 8032 §5.1.7](https://www.rfc-editor.org/rfc/rfc8032#section-5.1.7)
public struct BatchBackend: Sendable, CustomStringConvertible {
    let verifier: BatchVerifier

    /// Takes functions that passed their test.
    init(_ verifier: BatchVerifier) {
        self.verifier = verifier
    }

    /// Loads the library.
    ///
    /// It stays loaded as long as the process. Takes some 30 ms, for its test.
    ///
    /// - Parameter folder: Where `libcrypto_mb.so.13` and what it needs are, as `scripts/bootstrap accelerate` puts them;
    ///   `nil` for the library path.
    /// - Returns: The accelerator.
    /// - Throws: ``BatchVerificationError`` – ``BatchVerificationError/Code/acceleratorUnavailable`` when the library is not there,
    ///   is cut off, needs another processor, or gives a wrong answer; the reason says which.
    public static func load(from folder: String? = nil) throws(BatchVerificationError) -> BatchBackend {
        BatchBackend(try BatchVerifier.load(from: folder))
    }

    /// From how many signatures on it is quicker than one verification after the other, as measured when it was loaded.
    ///
    /// - Parameter algorithm: The algorithm.
    /// - Returns: 2 or more; 9 when it never is, and `nil` for algorithms that it does not know.
    public func breakEven(for algorithm: SignatureAlgorithm) -> Int? {
        BatchAlgorithm(algorithm).map { verifier.breakEven($0) }
    }

    /// What it is and where it was found.
    public var description: String { verifier.name }

    /// Whether each of up to eight tokens of one algorithm is signed by its key, as ``CompactJWS/isSigned(by:)`` says it.
    ///
    /// - Parameters:
    ///   - tokens: The tokens, each with its key.
    ///   - algorithm: What all of them are signed with.
    /// - Returns: A bit for each token, the lowest for the first one.
    func areSigned(_ tokens: [SignedToken], with algorithm: BatchAlgorithm) -> UInt8 {
        guard tokens.count >= verifier.breakEven(algorithm) else { return areSignedByThemselves(tokens) }
        var lanes = SignatureBatch(algorithm)
        var inLane: UInt8 = 0
        for index in tokens.indices where tokens[index].append(to: &lanes) { inLane |= 1 << UInt8(index) }
        guard inLane.nonzeroBitCount < tokens.count else { return verifier.validLanes(lanes) }
        // Who has no lane is not signed; the others have the lanes in their order.
        var verdicts = verifier.validLanes(lanes)
        var signed: UInt8 = 0
        for index in tokens.indices where inLane >> UInt8(index) & 1 == 1 {
            signed |= (verdicts & 1) << UInt8(index)
            verdicts >>= 1
        }
        return signed
    }

    private func areSignedByThemselves(_ tokens: [SignedToken]) -> UInt8 {
        var signed: UInt8 = 0
        for index in tokens.indices where tokens[index].isSigned() { signed |= 1 << UInt8(index) }
        return signed
    }
}
