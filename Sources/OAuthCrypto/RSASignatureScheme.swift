// SPDX-License-Identifier: Apache-2.0

/// An RSA signature scheme: RS256, RS384, RS512 (RFC 7518 section 3.3), PS256, PS384, PS512 (section 3.5).
package struct RSASignatureScheme: Sendable, Hashable {
    /// The padding that extends a digest to the length of the modulus.
    package enum Padding: Sendable, Hashable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
        case pkcs1
        /// RSASSA-PSS with MGF1 of the same hash function, and a salt as long as the digest (RFC 8017 section 8.1).
        case pss
    }

    let padding: Padding
    let hash: HashAlgorithm

    /// Combines a padding and a hash function.
    ///
    /// - Parameters:
    ///   - padding: The padding of the digest.
    ///   - hash: The hash function.
    package init(_ padding: Padding, _ hash: HashAlgorithm) {
        self.padding = padding
        self.hash = hash
    }
}
