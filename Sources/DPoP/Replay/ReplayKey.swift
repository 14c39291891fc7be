// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCrypto
import OAuthSystem

/// Identifies a proof in the replay store: `SHA-256(jkt ‖ 0 ‖ jti)`.
///
/// It includes the key of the proof, so that one client cannot use up the `jti` of another. It does not depend on the
/// encoding of the proof, since the same proof can be encoded in several ways.
public struct ReplayKey: Sendable, Hashable {
    let digest: SHA256Digest
    /// The key of the proof.
    ///
    /// The number of stored proofs is limited for each key.
    public let owner: JWKThumbprint

    /// Creates the replay key of a proof.
    ///
    /// - Parameters:
    ///   - owner: The key of the proof.
    ///   - jti: `jti`, any text.
    package init(owner: JWKThumbprint, jti: String) {
        self = jti.withUTF8Span { ReplayKey(owner: owner, jti: $0) }
    }

    /// Creates the replay key of a proof.
    ///
    /// - Parameters:
    ///   - owner: The key of the proof.
    ///   - jti: The bytes of `jti`.
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

    /// How much longer a key is stored than what it identifies could be accepted.
    ///
    /// A clock may step back. And of servers that share a store, one whose clock is ahead deletes keys for all of them.
    package static var margin: Duration { .seconds(60) }

    /// The 32 bytes of the digest, for a store that other processes share.
    public var bytes: [UInt8] { digest.bytes }
}
