// SPDX-License-Identifier: Apache-2.0

/// The curves of ES384 and ES512 (RFC 7518 section 3.4); P-256 has types of its own, ``P256PublicKey``, made for speed.
package enum ECDSACurve: Sendable, Hashable, CaseIterable {
    /// P-384, used with SHA-384.
    case p384
    /// P-521, used with SHA-512.
    case p521

    /// The length of a coordinate, of a private key, of r and of s, in octets (RFC 7518 section 6.2.1.2).
    package var scalarCount: Int {
        switch self {
        case .p384: 48
        case .p521: 66
        }
    }

    /// The hash function that belongs to the curve.
    package var hash: HashAlgorithm {
        switch self {
        case .p384: .sha384
        case .p521: .sha512
        }
    }
}
