// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit
import OAuthSystem

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Hashes a message.
    ///
    /// - Parameter bytes: The message; it may be empty.
    /// - Returns: The digest.
    package static func hash(_ bytes: Span<UInt8>) -> SHA256Digest {
        var function = CryptoKit.SHA256()
        unsafe bytes.withUnsafeBytes { unsafe function.update(bufferPointer: $0) }
        return SHA256Digest(Bytes32(copying: function.finalize()))
    }

    /// Hashes a message.
    ///
    /// - Parameter bytes: The message; it may be empty.
    /// - Returns: The digest.
    package static func hash(_ bytes: [UInt8]) -> SHA256Digest {
        bytes.withSpan { hash($0) }
    }
}
#endif
