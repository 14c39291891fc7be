// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem

/// Hashes a digest to 64 bits, with random numbers known only to this store.
///
/// Multilinear hashing is strongly universal: for any two digests that an attacker chooses, each pair of results is
/// equally likely, so an attacker cannot target a slot or another proof (Lemire and Kaser, "Strongly universal string
/// hashing is fast", 2014, theorem 1: the upper bits of the 128-bit sum). It takes an eighth of the instructions of a
/// keyed hash for inputs of any length.
struct ReplayHash: Sendable {
    private let summand: UInt128
    private let factor0: UInt128
    private let factor1: UInt128

    /// Generates new random numbers.
    init() {
        (summand, factor0, factor1) = (Self.random(), Self.random(), Self.random())
    }

    /// Hashes the first 128 bits of a digest.
    ///
    /// They suffice: finding two digests with equal first halves takes 2^64 attempts, and harms only the client that
    /// made both.
    func callAsFunction(_ digest: SHA256Digest) -> UInt64 {
        let octets = digest.octets
        let sum = summand &+ factor0 &* UInt128(octets.word0) &+ factor1 &* UInt128(octets.word1)
        return UInt64(truncatingIfNeeded: sum >> 64)
    }

    private static func random() -> UInt128 {
        SystemRandom.bytes(16).reduce(0) { $0 << 8 | UInt128($1) }
    }
}
