// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A token and the key that is said to have signed it, for which a caller may lose interest.
///
/// A class, since it goes from its caller to who verifies it: copying a token counts a dozen references.
public final class SignedToken: Sendable {
    /// The token.
    public let jws: CompactJWS
    /// The key.
    public let key: JWK
    private let cancelled = Atomic<Bool>(false)

    /// Brings both together.
    ///
    /// - Parameters:
    ///   - jws: The token.
    ///   - key: The key.
    public init(_ jws: CompactJWS, key: JWK) {
        (self.jws, self.key) = (jws, key)
    }

    /// Whether nobody wants to know any more.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Nobody wants to know any more.
    package func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Verifies it by itself; whether the algorithm is allowed is the caller's concern.
    ///
    /// - Returns: Whether the key fits the algorithm of the token and made its signature.
    public func isSigned() -> Bool { jws.isSigned(by: key) }
}
