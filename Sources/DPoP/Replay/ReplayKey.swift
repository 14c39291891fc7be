// SPDX-License-Identifier: Apache-2.0

public import JOSE
package import OAuthCrypto

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
        self.owner = owner
        digest = jti.withUTF8Span { jti in
            owner.digest.withBytes { owner in
                unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: owner.count + 1 + jti.count) { input in
                    for index in owner.indices { unsafe input[index] = owner[index] }
                    unsafe input[owner.count] = 0
                    for index in jti.indices { unsafe input[owner.count + 1 + index] = jti[index] }
                    return unsafe SHA256.hash(Span(_unsafeElements: UnsafeBufferPointer(input)))
                }
            }
        }
    }

    /// The digest, 32 bytes.
    public var bytes: [UInt8] { digest.bytes }
}
