// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

extension HashAlgorithm {
    /// Hashes a message, which may be empty.
    package func hash(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .sha256: [UInt8](CryptoKit.SHA256.hash(data: message))
        case .sha384: [UInt8](CryptoKit.SHA384.hash(data: message))
        case .sha512: [UInt8](CryptoKit.SHA512.hash(data: message))
        }
    }
}
#endif
