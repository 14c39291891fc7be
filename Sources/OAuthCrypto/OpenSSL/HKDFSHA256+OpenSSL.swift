// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// Derives keys from a high-entropy secret: HKDF with SHA-256 (RFC 5869).
///
/// Not for passwords.
package enum HKDFSHA256 {
    private static let algorithm = unsafe SharedHandle(EVP_KDF_fetch(nil, "HKDF", nil), "find HKDF")

    /// Derives a key: extract and expand.
    ///
    /// - Parameters:
    ///   - secret: The input keying material.
    ///   - salt: The salt. An empty salt means 32 zero bytes.
    ///   - info: The purpose of the key. May be empty.
    ///   - count: The length of the key in bytes, 1 to 8160.
    /// - Returns: The key, `count` bytes.
    /// - Throws: ``CryptoError`` if the count is out of range, or OpenSSL rejects the parameters (`info` beyond about 1
    ///   KiB).
    package static func deriveKey(
        from secret: [UInt8],
        salt: [UInt8],
        info: [UInt8],
        count: Int
    ) throws(CryptoError) -> [UInt8] {
        guard (1...255 * 32).contains(count) else {
            throw CryptoError("derive a key with HKDF: the length must be 1 to 8160 octets")
        }
        guard let context = unsafe EVP_KDF_CTX_new(algorithm.pointer) else {
            throw OpenSSL.failure("derive a key with HKDF: no context")
        }
        defer { unsafe EVP_KDF_CTX_free(context) }
        var key = [UInt8](zeros: count)
        let status = unsafe withParameters(secret, salt, info) { parameters in
            unsafe EVP_KDF_derive(context, &key, count, parameters)
        }
        guard status == 1 else { throw OpenSSL.failure("derive a key with HKDF: refused by OpenSSL") }
        return key
    }

    private static func withParameters(
        _ secret: [UInt8],
        _ salt: [UInt8],
        _ info: [UInt8],
        _ body: ([OSSL_PARAM]) -> Int32
    ) -> Int32 {
        unsafe OpenSSL.withPointer(secret.span) { secretStart, secretCount in
            unsafe OpenSSL.withPointer(salt.span) { saltStart, saltCount in
                unsafe OpenSSL.withPointer(info.span) { infoStart, infoCount in
                    unsafe body([
                        OpenSSL.text("digest", "SHA256"),
                        OpenSSL.octets("key", secretStart, secretCount),
                        OpenSSL.octets("salt", saltStart, saltCount),
                        OpenSSL.octets("info", infoStart, infoCount),
                        OSSL_PARAM_construct_end(),
                    ])
                }
            }
        }
    }
}
#endif
