// SPDX-License-Identifier: Apache-2.0

public import JOSE
package import OAuthCrypto
import OAuthSystem

/// What is remembered of a proof so that it works once: `SHA-256(jkt ‖ 0 ‖ jti)`.
///
/// The key of the proof is part of it: nobody can use up another one's `jti`. The bytes of the proof are not, since the
/// same proof can be encoded in several ways.
public struct ReplayKey: Sendable, Hashable {
    /// The digest, 32 bytes.
    package let digest: SHA256Digest
    /// The key of the proof: what one key may store is bounded.
    public let owner: JWKThumbprint

    /// Makes the key of a proof.
    ///
    /// - Parameters:
    ///   - owner: The key of the proof.
    ///   - jti: `jti`, any text.
    package init(owner: JWKThumbprint, jti: String) {
        self = jti.withUTF8Span { ReplayKey(owner: owner, jti: $0) }
    }

    /// Makes the key of a proof.
    ///
    /// - Parameters:
    ///   - owner: The key of the proof.
    ///   - jti: The octets of `jti`.
    init(owner: JWKThumbprint, jti: Span<UInt8>) {
        self.owner = owner
        digest = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 33 + jti.count) { input in
            owner.digest.withBytes { owner in
                for index in owner.indices { unsafe input[index] = owner[index] }
            }
            unsafe input[32] = 0
            for index in jti.indices { unsafe input[33 + index] = jti[index] }
            return unsafe SHA256.hash(Span(_unsafeElements: UnsafeBufferPointer(input)))
        }
    }

    /// The digest, 32 bytes.
    public var bytes: [UInt8] { digest.bytes }
}
