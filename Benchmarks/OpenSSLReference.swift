// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The limit: the C calls of OpenSSL with everything prepared, as `openssl speed` measures them.
///
/// Sendable although it holds pointers: each thread has its own.
@safe
final class OpenSSLReference: SignatureReference, @unchecked Sendable {
    /// The kind of key.
    enum Kind {
        case ec(group: String, digestSize: Int)
        case rsa(bits: Int32, isPSS: Bool)

        static let p256 = Self.ec(group: "prime256v1", digestSize: 32)

        fileprivate var name: String {
            switch self {
            case .ec: "EC"
            case .rsa: "RSA"
            }
        }
    }

    private let key: OpaquePointer
    private let signing: OpaquePointer
    private let verifying: OpaquePointer
    private let sha256: OpaquePointer
    private let digest: [UInt8]
    private var signature = [UInt8](repeating: 0, count: 1024)
    private var output = [UInt8](repeating: 0, count: 65_536)

    init(_ kind: Kind = .p256) throws {
        guard let key = unsafe Self.makeKey(kind), let sha256 = unsafe EVP_MD_fetch(nil, "SHA256", nil),
            let signing = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil), unsafe EVP_PKEY_sign_init(signing) == 1,
            let verifying = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil),
            unsafe EVP_PKEY_verify_init(verifying) == 1, unsafe Self.prepare(signing, kind, sha256),
            unsafe Self.prepare(verifying, kind, sha256)
        else { throw BenchmarkError("OpenSSL made no key") }
        unsafe (self.key, self.sha256, self.signing, self.verifying) = (key, sha256, signing, verifying)
        var digestSize = 32
        if case .ec(_, let size) = kind { digestSize = size }
        digest = [UInt8](repeating: 7, count: digestSize)
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

    /// Signs a digest with a cached key and context; an ECDSA result stays in DER.
    func sign() {
        var count = output.count
        let status = unsafe EVP_PKEY_sign(signing, &output, &count, digest, digest.count)
        precondition(status == 1)
    }

    func hash(_ bytes: [UInt8]) {
        let status = unsafe EVP_Digest(bytes, bytes.count, &output, nil, sha256, nil)
        precondition(status == 1)
    }

    /// Decodes plain base64, at most 64 KiB.
    func decodeBase64(_ text: [UInt8]) {
        let count = unsafe EVP_DecodeBlock(&output, text, Int32(text.count))
        precondition(count > 0)
    }

    private static func makeKey(_ kind: Kind) -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, kind.name, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1 else { return nil }
        let isSet =
            switch kind {
            case .ec(let group, _): unsafe EVP_PKEY_CTX_set_group_name(context, group)
            case .rsa(let bits, _): unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
            }
        guard isSet == 1, unsafe EVP_PKEY_generate(context, &key) == 1 else { return nil }
        return unsafe key
    }

    private static func prepare(_ context: OpaquePointer, _ kind: Kind, _ sha256: OpaquePointer) -> Bool {
        guard case .rsa(_, let isPSS) = kind else { return true }
        let padding = isPSS ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
        return unsafe EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1
            && EVP_PKEY_CTX_set_signature_md(context, sha256) == 1
            && (!isPSS || EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1)
    }
}
