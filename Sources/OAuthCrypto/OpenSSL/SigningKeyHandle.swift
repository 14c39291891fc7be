// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// OpenSSL's object of a private key that signs digests, and contexts that sign with it.
///
/// A context that has signed is used again, and where all are in use another is made. To make one for each signature costs
/// one of ES256 two hundredths of its time, and has all threads count references to the same objects.
///
/// Sendable although it holds pointers: neither the key nor the template is changed after `init`. Making a context copies the
/// template, which reads it and counts a reference to the key atomically. OpenSSL wipes the key when it frees it.
@safe
final class SigningKeyHandle: @unchecked Sendable {
    let key: OpaquePointer
    private let template: OpaquePointer
    private let idle = IdlePool<SigningContext>(maximumIdleCount: 16)

    /// Takes over a key object; frees it when it does not come to sign.
    ///
    /// `prepare` sets what the signatures need beyond the key, and says whether that worked.
    init(
        _ key: OpaquePointer?,
        _ operation: String,
        prepare: (OpaquePointer) -> Bool = { _ in true }
    ) throws(CryptoError) {
        guard let key = unsafe key else { throw OpenSSL.failure(operation) }
        guard let template = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            unsafe EVP_PKEY_free(key)
            throw OpenSSL.failure(operation)
        }
        unsafe (self.key, self.template) = (key, template)
        guard unsafe EVP_PKEY_sign_init(template) == 1, unsafe prepare(template) else {
            throw OpenSSL.failure(operation)
        }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(template)
        unsafe EVP_PKEY_free(key)
    }

    /// Signs a digest; returns how many octets the signature has in OpenSSL's form, `nil` when it makes none.
    func sign(_ digest: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        // One that failed is not used again.
        guard let context = unsafe idle.take() ?? SigningContext(copying: template),
            let count = unsafe context.sign(digest, into: target)
        else { return nil }
        idle.give(context)
        return count
    }

    /// The signature in OpenSSL's form; `nil` when it makes none.
    func sign(_ digest: [UInt8]) -> [UInt8]? {
        var signature = [UInt8](zeros: Int(unsafe EVP_PKEY_get_size(key)))
        let count = unsafe signature.withUnsafeMutableBufferPointer { target in
            digest.withSpan { unsafe sign($0, into: target) }
        }
        guard let count else { return nil }
        signature.removeLast(signature.count - count)
        return signature
    }
}

extension OpenSSL {
    /// Frees parameters; OpenSSL itself would leave a private number in the memory.
    static func freeWiped(_ parameters: UnsafeMutablePointer<OSSL_PARAM>) {
        if let number = unsafe OSSL_PARAM_locate(parameters, name("priv")) {
            unsafe OPENSSL_cleanse(number.pointee.data, number.pointee.data_size)
        }
        unsafe OSSL_PARAM_free(parameters)
    }

    /// A key object from the parameters collected in a builder; `nil` when OpenSSL refuses them.
    static func makeKey(_ type: StaticString, _ selection: Int32, from builder: OpaquePointer) -> OpaquePointer? {
        guard let parameters = unsafe OSSL_PARAM_BLD_to_param(builder) else { return nil }
        defer { unsafe freeWiped(parameters) }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, name(type), nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, selection, parameters) == 1
        else { return nil }
        return unsafe key
    }
}
#endif
