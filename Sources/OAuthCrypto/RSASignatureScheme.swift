// SPDX-License-Identifier: Apache-2.0

/// How RSA signs: RS256, RS384, RS512 (RFC 7518 section 3.3), PS256, PS384, PS512 (section 3.5).
package struct RSASignatureScheme: Sendable, Hashable {
    /// How a digest is made as long as the modulus.
    package enum Padding: Sendable, Hashable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
        case pkcs1
        /// RSASSA-PSS with MGF1 of the same hash function, and a salt as long as the digest (RFC 8017 section 8.1).
        case pss
    }

    /// How a digest is made as long as the modulus.
    package let padding: Padding
    /// The hash function.
    package let hash: HashAlgorithm

    /// Takes the two parts.
    ///
    /// - Parameters:
    ///   - padding: How a digest is made as long as the modulus.
    ///   - hash: The hash function.
    package init(_ padding: Padding, _ hash: HashAlgorithm) {
        self.padding = padding
        self.hash = hash
    }
}
