// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// A library that verifies a batch of eight signatures in the time of two or three: `libcrypto_mb`, for AVX-512 IFMA.
///
/// It is optional and loaded at run time: without it, signatures are verified one by one, with the same results. It
/// must pass known-answer tests before it is used. It verifies ES256, ES384 and EdDSA. Conditions that the library does
/// not check, such as whether a key is a point on the curve, are checked first.
///
/// ## Specification
///
/// [RFC 7518 §3.4](https://www.rfc-editor.org/rfc/rfc7518#section-3.4),
/// [RFC 8032 §5.1.7](https://www.rfc-editor.org/rfc/rfc8032#section-5.1.7)
public struct BatchBackend: Sendable, CustomStringConvertible {
    let verifier: BatchVerifier

    /// Takes functions that passed their known-answer tests.
    init(_ verifier: BatchVerifier) {
        self.verifier = verifier
    }

    /// Loads the library.
    ///
    /// The library stays loaded until the process ends. Loading takes about 30 ms, mostly for the known-answer tests.
    ///
    /// - Parameter folder: The folder of `libcrypto_mb.so.13` and its dependencies, as `scripts/bootstrap accelerate`
    ///   installs them; `nil` for the library path.
    /// - Returns: The backend.
    /// - Throws: ``BatchVerificationError`` – ``BatchVerificationError/Code/acceleratorUnavailable`` if the library is
    ///   missing, is truncated, does not support this processor, or gives a wrong result. The reason says which.
    public static func load(from folder: String? = nil) throws(BatchVerificationError) -> BatchBackend {
        BatchBackend(try BatchVerifier.load(from: folder))
    }

    /// The number of signatures from which a batch is faster than single verifications, measured at load time.
    ///
    /// - Parameter algorithm: The algorithm.
    /// - Returns: 2 or more; 9 if a batch is never faster; `nil` for algorithms that it does not support.
    public func breakEven(for algorithm: SignatureAlgorithm) -> Int? {
        BatchAlgorithm(algorithm).map { verifier.breakEven($0) }
    }

    /// The name of the library and where it was found.
    public var description: String { verifier.name }

    /// Verifies up to eight tokens of one algorithm, with the same results as ``CompactJWS/isSigned(by:)``.
    ///
    /// - Parameters:
    ///   - tokens: The tokens, each with its key.
    ///   - algorithm: The algorithm of all tokens.
    /// - Returns: A bit for each token, the lowest for the first: set if its signature is valid.
    func areSigned(_ tokens: [SignedToken], with algorithm: BatchAlgorithm) -> UInt8 {
        guard tokens.count >= verifier.breakEven(algorithm) else { return areSignedByThemselves(tokens) }
        var lanes = SignatureBatch(algorithm)
        var inLane: UInt8 = 0
        for index in tokens.indices where tokens[index].append(to: &lanes) { inLane |= 1 << UInt8(index) }
        guard inLane.nonzeroBitCount < tokens.count else { return verifier.validLanes(lanes) }
        // A token without a lane has no valid signature. The others occupy the lanes in order.
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
