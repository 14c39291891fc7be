// SPDX-License-Identifier: Apache-2.0

/// The hash functions of signatures and codes: the SHA-2 family (FIPS 180-4).
package enum HashAlgorithm: Sendable, Hashable, CaseIterable {
    /// SHA-256, 32 octets.
    case sha256
    /// SHA-384, 48 octets.
    case sha384
    /// SHA-512, 64 octets.
    case sha512

    /// The length of a digest, in octets.
    package var digestCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
