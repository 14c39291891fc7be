// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// A private key of RSA that signs in one way.
///
/// Copies share one key object; any number of threads may sign with it at once.
package struct RSAPrivateKey: Sendable {
    private let handle: SigningKeyHandle

    /// The public key that belongs to it.
    package let publicKey: RSAPublicKey
    /// How it signs.
    package let scheme: RSASignatureScheme

    /// Makes a new key of 3072 bits with the exponent 65537; takes a noticeable time.
    ///
    /// - Parameter scheme: How it is to sign.
    /// - Throws: ``CryptoError`` when OpenSSL makes none.
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

    /// Takes a private key of two primes; its parts are checked against each other.
    ///
    /// - Parameters:
    ///   - pkcs8: A `PrivateKeyInfo` in DER (RFC 5208 section 5) of an `rsaEncryption` key, not encrypted, and no octet
    ///     more.
    ///   - scheme: How it is to sign.
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

    /// Checks that the parts belong together, in a hundredth of the time that OpenSSL's own check takes.
    ///
    /// That one looks for proof that the factors are prime, which protects nobody: whoever made the key knows it anyway. A
    /// factor that is not prime shows in the signature, which is Fermat's test of both.
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
    /// - Parameter message: What to sign, not its digest; it may be empty.
    /// - Returns: A signature as long as the modulus.
    /// - Throws: ``CryptoError`` when OpenSSL does not sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let signature = handle.sign(scheme.hash.hash(message)), signature.count == publicKey.modulus.count else {
            throw OpenSSL.failure("sign with RSA")
        }
        return signature
    }
}

extension SigningKeyHandle {
    /// A public number of the key, most significant octet first, without leading zeros; empty when there is none.
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
