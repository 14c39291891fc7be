// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

extension Ed25519PublicKey {
    /// Verifies an Ed25519 signature (RFC 8032 section 5.1.7, RFC 8037 section 3.1).
    ///
    /// - Parameters:
    ///   - signature: R and S, 64 bytes. Any other length is invalid, as is an S that is not below the order.
    ///   - message: The signed message. It may be empty.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard signature.count == 64,
            let key = unsafe EVP_PKEY_new_raw_public_key_ex(
                nil,
                OpenSSL.name("ED25519"),
                nil,
                rawRepresentation,
                rawRepresentation.count
            )
        else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let isValid = unsafe OpenSSL.withPointer(message.span) { start, count in
            unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, start, count) == 1
        }
        if !isValid { ERR_clear_error() }
        return isValid
    }
}
#endif
