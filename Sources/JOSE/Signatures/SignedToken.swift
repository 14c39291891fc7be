// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
import Synchronization

/// A token, the key that is claimed to have signed it, and a flag for cancellation.
///
/// A class, since it passes from the caller to the verifier: copying a token would count a dozen references.
public final class SignedToken: Sendable, RedactedSecret {
    /// The token, whose signature is not verified yet.
    public let jws: CompactJWS
    /// The public key that must have signed it.
    public let key: JWK
    private let cancelled = Atomic<Bool>(false)

    /// Pairs a token with its key.
    ///
    /// - Parameters:
    ///   - jws: The token.
    ///   - key: The key.
    public init(_ jws: CompactJWS, key: JWK) {
        (self.jws, self.key) = (jws, key)
    }

    /// Whether the caller no longer needs the result.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Marks that the caller no longer needs the result.
    package func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Verifies the signature alone.
    ///
    /// The caller checks that the algorithm is allowed.
    ///
    /// - Returns: Whether the key fits the algorithm of the token and made its signature.
    public func isSigned() -> Bool { jws.isSigned(by: key) }
}
