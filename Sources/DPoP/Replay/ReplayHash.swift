// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem

/// Makes 64 bits of a digest, with random numbers that only this store knows.
///
/// Multilinear hashing is strongly universal: whatever two digests somebody has chosen, each pair of results is as likely
/// as any other, so nobody outside can aim at a slot or at another proof (Lemire and Kaser, "Strongly universal string
/// hashing is fast", 2014, theorem 1: of the 128 bits of the sum, the upper ones). It takes an eighth of the instructions
/// of a keyed hash for inputs of any length.
struct ReplayHash: Sendable {
    private let summand: UInt128
    private let factor0: UInt128
    private let factor1: UInt128

    /// Takes new random numbers.
    init() {
        (summand, factor0, factor1) = (Self.random(), Self.random(), Self.random())
    }

    /// Hashes the first 128 bits of a digest.
    ///
    /// They are enough: a second digest with the same takes 2^64 attempts, and harms who made both.
    func callAsFunction(_ digest: SHA256Digest) -> UInt64 {
        let octets = digest.octets
        let sum = summand &+ factor0 &* UInt128(octets.word0) &+ factor1 &* UInt128(octets.word1)
        return UInt64(truncatingIfNeeded: sum >> 64)
    }

    private static func random() -> UInt128 {
        SystemRandom.bytes(16).reduce(0) { $0 << 8 | UInt128($1) }
    }
}
