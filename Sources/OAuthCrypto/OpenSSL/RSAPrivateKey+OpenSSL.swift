// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// An RSA private key for one signature scheme.
///
/// Copies share one key object. Any number of threads may sign with it at the same time.
package struct RSAPrivateKey: Sendable {
    private let handle: SigningKeyHandle

    /// The public key of the pair.
    package let publicKey: RSAPublicKey
    /// The signature scheme.
    package let scheme: RSASignatureScheme

    /// Generates a key of 3072 bits with the exponent 65537.
    ///
    /// This takes noticeable time.
    ///
    /// - Parameter scheme: The scheme to sign with.
    /// - Throws: ``CryptoError`` if OpenSSL cannot generate a key.
    package init(generating scheme: RSASignatureScheme) throws(CryptoError) {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            throw OpenSSL.failure("make a key of RSA: no memory")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 3072) == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1
        else { throw OpenSSL.failure("make a key of RSA") }
        try unsafe self.init(key, scheme)
    }

    /// Imports a private key with two primes, and checks that its parts match.
    ///
    /// - Parameters:
    ///   - pkcs8: A `PrivateKeyInfo` in DER (RFC 5208 section 5) of an `rsaEncryption` key, not encrypted, without
    ///     trailing bytes.
    ///   - scheme: The scheme to sign with.
    /// - Throws: ``CryptoError`` for anything else, and for a key outside the limits of ``RSAPublicKey``.
    package init(pkcs8: [UInt8], scheme: RSASignatureScheme) throws(CryptoError) {
        var key: OpaquePointer?
        // The contexts of decoders and encoders keep the addresses of the names.
        guard
            let decoder = unsafe OSSL_DECODER_CTX_new_for_pkey(
                &key,
                OpenSSL.name("DER"),
                OpenSSL.name("PrivateKeyInfo"),
                OpenSSL.name("RSA"),
                OpenSSL.selectKeyPair,
                nil,
                nil
            )
        else { throw OpenSSL.failure("import a private key of RSA: no memory") }
        defer { unsafe OSSL_DECODER_CTX_free(decoder) }
        var remaining = pkcs8.count
        let status = unsafe pkcs8.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe OSSL_DECODER_from_data(decoder, &next, &remaining)
        }
        guard status == 1, remaining == 0, unsafe key != nil else {
            unsafe EVP_PKEY_free(key)
            throw OpenSSL.failure("import a private key of RSA: it is not a PrivateKeyInfo of RSA in DER")
        }
        try unsafe self.init(key, scheme)
        try checkParts()
    }

    private init(_ key: OpaquePointer?, _ scheme: RSASignatureScheme) throws(CryptoError) {
        handle = try unsafe SigningKeyHandle(key, "prepare a key of RSA to sign") { context in
            unsafe scheme.prepare(context)
        }
        publicKey = try RSAPublicKey(modulus: handle.number("n"), exponent: handle.number("e"))
        self.scheme = scheme
    }

    /// Checks that the parts match, in a hundredth of the time of OpenSSL's own check.
    ///
    /// OpenSSL also tests that the factors are prime. This adds no protection, since the creator of the key knows the
    /// factors anyway. A factor that is not prime is found by the test signature, which is a Fermat test of both.
    private func checkParts() throws(CryptoError) {
        let message: [UInt8] = [0]
        guard unsafe RSAPrivateNumbers(handle.key).belongTogether,
            try publicKey.isValidSignature(signature(for: message), for: message, scheme: scheme)
        else { throw OpenSSL.failure("import a private key of RSA: its parts do not belong together") }
    }

    /// The private key as a `PrivateKeyInfo` in DER (RFC 5208 section 5).
    ///
    /// Wipe it after use.
    package var pkcs8: [UInt8] {
        let encoder = unsafe OSSL_ENCODER_CTX_new_for_pkey(
            handle.key,
            OpenSSL.selectKeyPair,
            OpenSSL.name("DER"),
            OpenSSL.name("PrivateKeyInfo"),
            nil
        )
        defer { unsafe OSSL_ENCODER_CTX_free(encoder) }
        var start: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard unsafe OSSL_ENCODER_to_data(encoder, &start, &count) == 1, let start = unsafe start else {
            OpenSSL.unusable("write a private key that it made")
        }
        defer { unsafe CRYPTO_clear_free(start, count, nil, 0) }
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    }

    /// Signs.
    ///
    /// - Parameter message: The message, not its digest. It may be empty.
    /// - Returns: A signature as long as the modulus.
    /// - Throws: ``CryptoError`` if OpenSSL cannot sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let signature = handle.sign(scheme.hash.hash(message)), signature.count == publicKey.modulus.count else {
            throw OpenSSL.failure("sign with RSA")
        }
        return signature
    }
}

extension SigningKeyHandle {
    /// A public number of the key, big-endian, without leading zeros; empty if it is missing.
    fileprivate func number(_ name: StaticString) -> [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, OpenSSL.name(name), &number) == 1 else { return [] }
        defer { unsafe BN_free(number) }
        var bytes = [UInt8](zeros: Int(unsafe BN_num_bits(number) + 7) / 8)
        let count = unsafe BN_bn2bin(number, &bytes)
        return Int(count) == bytes.count ? bytes : []
    }
}
#endif
