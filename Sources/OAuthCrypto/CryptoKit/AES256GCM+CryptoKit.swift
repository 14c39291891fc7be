// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import CryptoKit

/// Authenticated encryption with AES-256 in Galois/Counter Mode (NIST SP 800-38D): 12-byte nonce, 16-byte tag.
package enum AES256GCM {
    private static let keyCount = 32
    private static let nonceCount = 12
    private static let tagCount = 16

    /// Encrypts and authenticates.
    ///
    /// - Parameters:
    ///   - plaintext: The text to encrypt. May be empty.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes. Never use one twice with the same key.
    ///   - header: Authenticated but not encrypted data. May be empty.
    /// - Returns: The ciphertext, as long as the plaintext, and after it the 16 bytes of the tag.
    /// - Throws: ``CryptoError`` if the key or the nonce has the wrong length.
    package static func seal(
        _ plaintext: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating header: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try checkLengths(key: key, nonce: nonce)
        do {
            let box = try AES.GCM.seal(
                plaintext,
                using: SymmetricKey(data: key),
                nonce: AES.GCM.Nonce(data: nonce),
                authenticating: header
            )
            return [UInt8](box.ciphertext) + [UInt8](box.tag)
        } catch {
            throw CryptoError("encrypt with AES-256-GCM")
        }
    }

    /// Authenticates and decrypts.
    ///
    /// - Parameters:
    ///   - sealed: The ciphertext, and after it the 16 bytes of the tag.
    ///   - key: 32 bytes.
    ///   - nonce: The nonce of the encryption, 12 bytes.
    ///   - header: The authenticated but not encrypted data.
    /// - Returns: The plaintext.
    /// - Throws: ``CryptoError`` if authentication fails, or a parameter has the wrong length. No plaintext is returned
    ///   then.
    package static func open(
        _ sealed: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        authenticating header: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= tagCount else { throw CryptoError("decrypt with AES-256-GCM: shorter than a tag") }
        try checkLengths(key: key, nonce: nonce)
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: nonce),
                ciphertext: Array(sealed.dropLast(tagCount)),
                tag: Array(sealed.suffix(tagCount))
            )
            return [UInt8](try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: header))
        } catch {
            throw CryptoError("decrypt with AES-256-GCM: not authentic")
        }
    }

    private static func checkLengths(key: [UInt8], nonce: [UInt8]) throws(CryptoError) {
        guard key.count == keyCount, nonce.count == nonceCount else {
            throw CryptoError("use AES-256-GCM: the key must be 32 octets and the nonce 12")
        }
    }
}
#endif
