// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

extension RSAPublicKey {
    /// Whether this platform supports RSA.
    package static let isSupported = true

    /// Verifies an RSA signature.
    ///
    /// - Parameters:
    ///   - signature: The signature, as long as the modulus. Any other length is invalid.
    ///   - message: The signed message, not its digest. It may be empty.
    ///   - scheme: The required scheme. A salt that is not as long as the digest is invalid.
    /// - Returns: Whether the key made the signature for the message.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8], scheme: RSASignatureScheme) -> Bool {
        guard signature.count == modulus.count, let key = unsafe makeKey() else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let digest = scheme.hash.hash(message)
        let isValid =
            unsafe EVP_PKEY_verify_init(context) == 1 && scheme.prepare(context)
            && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
        if !isValid { ERR_clear_error() }
        return isValid
    }

    private func makeKey() -> OpaquePointer? {
        guard let builder = unsafe OSSL_PARAM_BLD_new() else { return nil }
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        let n = unsafe BN_bin2bn(modulus, Int32(modulus.count), nil)
        defer { unsafe BN_free(n) }
        let e = unsafe BN_bin2bn(exponent, Int32(exponent.count), nil)
        defer { unsafe BN_free(e) }
        guard unsafe n != nil, unsafe e != nil,
            unsafe OSSL_PARAM_BLD_push_BN(builder, OpenSSL.name("n"), n) == 1,
            unsafe OSSL_PARAM_BLD_push_BN(builder, OpenSSL.name("e"), e) == 1
        else { return nil }
        return unsafe OpenSSL.makeKey("RSA", OpenSSL.selectPublicKey, from: builder)
    }
}

extension RSASignatureScheme {
    /// Sets padding, hash function and salt length of an initialized context.
    func prepare(_ context: OpaquePointer) -> Bool {
        let padding = padding == .pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
        guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, hash.handle.pointer) == 1
        else { return false }
        guard self.padding == .pss else { return true }
        return unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash.handle.pointer) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
    }
}
#endif
