// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

/// Derives keys from a high-entropy secret: HKDF with SHA-256 (RFC 5869).
///
/// Not for passwords.
package enum HKDFSHA256 {
    /// Derives a key: extract and expand.
    ///
    /// - Parameters:
    ///   - secret: The input keying material.
    ///   - salt: The salt. An empty salt means 32 zero bytes.
    ///   - info: The purpose of the key. May be empty.
    ///   - count: The length of the key in bytes, 1 to 8160.
    /// - Returns: The key, `count` bytes.
    /// - Throws: ``CryptoError`` if the count is out of range.
    package static func deriveKey(
        from secret: [UInt8],
        salt: [UInt8],
        info: [UInt8],
        count: Int
    ) throws(CryptoError) -> [UInt8] {
        guard (1...255 * 32).contains(count) else {
            throw CryptoError("derive a key with HKDF: the length must be 1 to 8160 octets")
        }
        let key = HKDF<CryptoKit.SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret),
            salt: salt,
            info: info,
            outputByteCount: count
        )
        return unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
#endif
