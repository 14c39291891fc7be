// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The limit: the C calls of OpenSSL with everything made ahead, as `openssl speed` measures them.
///
/// Sendable although it holds pointers: each thread has its own.
@safe
final class OpenSSLReference: @unchecked Sendable {
    private let key: OpaquePointer
    private let signing: OpaquePointer
    private let verifying: OpaquePointer
    private let sha256: OpaquePointer
    private let digest = [UInt8](repeating: 7, count: 32)
    private var signature = [UInt8](repeating: 0, count: 72)
    private var output = [UInt8](repeating: 0, count: 4096)

    init() throws {
        guard let key = unsafe Self.makeKey(), let sha256 = unsafe EVP_MD_fetch(nil, "SHA256", nil),
            let signing = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil), unsafe EVP_PKEY_sign_init(signing) == 1,
            let verifying = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil),
            unsafe EVP_PKEY_verify_init(verifying) == 1
        else { throw BenchmarkError("OpenSSL made no key") }
        unsafe (self.key, self.sha256, self.signing, self.verifying) = (key, sha256, signing, verifying)
        var count = signature.count
        guard unsafe EVP_PKEY_sign(signing, &signature, &count, digest, digest.count) == 1 else {
            throw BenchmarkError("OpenSSL did not sign")
        }
        signature.removeLast(signature.count - count)
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(signing)
        unsafe EVP_PKEY_CTX_free(verifying)
        unsafe EVP_PKEY_free(key)
        unsafe EVP_MD_free(sha256)
    }

    /// Verifies a signature over a digest with a cached key and context.
    func verify() {
        let status = unsafe EVP_PKEY_verify(verifying, signature, signature.count, digest, digest.count)
        precondition(status == 1)
    }

    /// Signs a digest with a cached key and context; the result stays DER.
    func sign() {
        var count = output.count
        let status = unsafe EVP_PKEY_sign(signing, &output, &count, digest, digest.count)
        precondition(status == 1)
    }

    /// Hashes bytes.
    func hash(_ bytes: [UInt8]) {
        let status = unsafe EVP_Digest(bytes, bytes.count, &output, nil, sha256, nil)
        precondition(status == 1)
    }

    /// Decodes plain base64.
    func decodeBase64(_ text: [UInt8]) {
        let count = unsafe EVP_DecodeBlock(&output, text, Int32(text.count))
        precondition(count > 0)
    }

    private static func makeKey() -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return unsafe key
    }
}

/// A benchmark could not be set up.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
