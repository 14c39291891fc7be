// SPDX-License-Identifier: Apache-2.0

/// The curves of ES384 and ES512 (RFC 7518 section 3.4).
///
/// P-256 has its own, faster types, such as ``P256PublicKey``.
package enum ECDSACurve: Sendable, Hashable, CaseIterable {
    /// P-384, used with SHA-384.
    case p384
    /// P-521, used with SHA-512.
    case p521

    /// The length of a coordinate, a private key, r and s, in bytes (RFC 7518 section 6.2.1.2).
    var scalarCount: Int {
        switch self {
        case .p384: 48
        case .p521: 66
        }
    }

    /// The hash function that is used with the curve.
    var hash: HashAlgorithm {
        switch self {
        case .p384: .sha384
        case .p521: .sha512
        }
    }
}
