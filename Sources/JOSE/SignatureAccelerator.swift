// SPDX-License-Identifier: Apache-2.0

package import OAuthCrypto

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
public struct SignatureAccelerator: Sendable, CustomStringConvertible {
    let verifier: LaneVerifier

    /// Takes functions that passed their test.
    package init(_ verifier: LaneVerifier) {
        self.verifier = verifier
    }

    /// Loads the library.
    ///
    /// It stays loaded as long as the process. Takes some 30 ms, for its test.
    ///
    /// - Parameter folder: Where `libcrypto_mb.so.13` and what it needs are, as `scripts/bootstrap accelerate` puts them;
    ///   `nil` for the library path.
    /// - Returns: The accelerator.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/acceleratorUnavailable`` when the library is not there, is cut off, needs
    ///   another processor, or gives a wrong answer; the reason says which.
    public static func load(from folder: String? = nil) throws(JOSEError) -> SignatureAccelerator {
        do {
            return SignatureAccelerator(try LaneVerifier.load(from: folder))
        } catch {
            throw JOSEError(.acceleratorUnavailable, error.operation, underlying: error)
        }
    }

    /// From how many signatures on it is quicker than one verification after the other, as measured when it was loaded.
    ///
    /// - Parameter algorithm: The algorithm.
    /// - Returns: 2 or more; 9 when it never is, and `nil` for algorithms that it does not know.
    public func breakEven(for algorithm: SignatureAlgorithm) -> Int? {
        LaneAlgorithm(algorithm).map { verifier.breakEven($0) }
    }

    /// What it is and where it was found.
    public var description: String { verifier.name }

    /// Whether each of up to eight tokens of one algorithm is signed by its key, as ``CompactJWS/isSigned(by:)`` says it.
    ///
    /// - Parameters:
    ///   - tokens: The tokens, each with its key.
    ///   - algorithm: What all of them are signed with.
    /// - Returns: The answers, in the order of the tokens.
    func areSigned(_ tokens: [SignedToken], with algorithm: LaneAlgorithm) -> [Bool] {
        guard tokens.count >= verifier.breakEven(algorithm) else { return tokens.map { $0.isSigned() } }
        var lanes = SignatureLanes(algorithm)
        let isInLane = tokens.map { $0.append(to: &lanes) }
        var verdicts = verifier.areValid(lanes).makeIterator()
        return isInLane.map { $0 && verdicts.next() ?? false }
    }
}
