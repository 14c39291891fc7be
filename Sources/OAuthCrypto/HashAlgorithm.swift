// SPDX-License-Identifier: Apache-2.0

/// The hash functions for signatures and HMAC: the SHA-2 family (FIPS 180-4).
package enum HashAlgorithm: Sendable, Hashable, CaseIterable {
    /// SHA-256, 32 bytes.
    case sha256
    /// SHA-384, 48 bytes.
    case sha384
    /// SHA-512, 64 bytes.
    case sha512

    /// The length of a digest, in bytes.
    package var digestCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
