// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The limit for Ed25519, which hashes the message itself and therefore uses different calls.
///
/// Sendable although it holds pointers: each thread has its own.
@safe
final class Ed25519Reference: SignatureReference, @unchecked Sendable {
    private let key: OpaquePointer
    private let signing: OpaquePointer
    private let verifying: OpaquePointer
    private let message = [UInt8](repeating: 7, count: 32)
    private var signature = [UInt8](repeating: 0, count: 64)

    init() throws {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "ED25519", nil) else {
            throw BenchmarkError("OpenSSL has no Ed25519")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_generate(context, &made) == 1,
            let key = unsafe made, let signing = unsafe EVP_MD_CTX_new(), let verifying = unsafe EVP_MD_CTX_new(),
            unsafe EVP_DigestSignInit(signing, nil, nil, nil, key) == 1,
            unsafe EVP_DigestVerifyInit(verifying, nil, nil, nil, key) == 1
        else { throw BenchmarkError("OpenSSL made no key") }
        unsafe (self.key, self.signing, self.verifying) = (key, signing, verifying)
        sign()
    }

    deinit {
        unsafe EVP_MD_CTX_free(signing)
        unsafe EVP_MD_CTX_free(verifying)
        unsafe EVP_PKEY_free(key)
    }

    func verify() {
        let status = unsafe EVP_DigestVerify(verifying, signature, signature.count, message, message.count)
        precondition(status == 1)
    }

    func sign() {
        var count = signature.count
        let status = unsafe EVP_DigestSign(signing, &signature, &count, message, message.count)
        precondition(status == 1)
    }
}
