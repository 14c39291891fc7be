// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Synchronization

/// A token and the key that is said to have signed it, for which a caller may lose interest.
///
/// A class, since it goes from its caller to who verifies it: copying a token counts a dozen references.
package final class SignedToken: Sendable {
    /// The token.
    package let jws: CompactJWS
    /// The key.
    package let key: JWK
    private let cancelled = Atomic<Bool>(false)

    /// Brings both together.
    ///
    /// - Parameters:
    ///   - jws: The token.
    ///   - key: The key.
    package init(_ jws: CompactJWS, key: JWK) {
        (self.jws, self.key) = (jws, key)
    }

    /// Whether nobody wants to know any more.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Nobody wants to know any more.
    func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// What can verify it beside others; `nil` when nothing can, or the algorithm does not fit the key.
    var laneAlgorithm: LaneAlgorithm? {
        key.fits(jws.algorithm) ? LaneAlgorithm(jws.algorithm) : nil
    }

    /// Verifies it by itself.
    ///
    /// - Returns: What ``CompactJWS/isSigned(by:)`` says.
    package func isSigned() -> Bool { jws.isSigned(by: key) }

    /// Adds it to lanes; false when it is not signed by the key, whatever the lanes say.
    func append(to lanes: inout SignatureLanes) -> Bool {
        guard laneAlgorithm == lanes.algorithm else { return false }
        return jws.withSignedParts { signature, message in
            switch key.material {
            case .p256(let key): lanes.append(key, signature, message)
            case .ec(let key): lanes.append(key, signature, message)
            case .ed25519(let key): lanes.append(key, signature, message)
            case .rsa: false
            }
        }
    }
}

extension LaneAlgorithm {
    /// The lanes for an algorithm of tokens; `nil` when there are none.
    init?(_ algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .es256: self = .es256
        case .es384: self = .es384
        case .edDSA, .ed25519: self = .ed25519
        default: return nil
        }
    }
}
