// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit
import OAuthSystem

/// A secret key for HMAC-SHA-256 (RFC 2104).
package struct HMACSHA256Key: Sendable {
    private let key: SymmetricKey

    /// Creates a key.
    ///
    /// - Parameter secret: Any number of bytes. Fewer than 32 weaken the code (RFC 2104 section 3).
    package init(_ secret: [UInt8]) {
        key = SymmetricKey(data: secret)
    }

    /// Computes the code of a message.
    ///
    /// Compare codes with ``ConstantTime`` only.
    ///
    /// - Parameter message: The message; it may be empty.
    /// - Returns: The 32 bytes of the code.
    package func authenticationCode(for message: Span<UInt8>) -> SHA256Digest {
        authenticationCode(for: unsafe message.withUnsafeBytes { unsafe [UInt8]($0) })
    }

    /// Computes the code of a message.
    ///
    /// Compare codes with ``ConstantTime`` only.
    ///
    /// - Parameter message: The message; it may be empty.
    /// - Returns: The 32 bytes of the code.
    package func authenticationCode(for message: [UInt8]) -> SHA256Digest {
        let code = HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: key)
        return SHA256Digest(Bytes32(copying: code))
    }
}
#endif
