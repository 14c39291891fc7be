// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// OpenSSL's object for a private key, with a pool of contexts that sign digests.
///
/// Contexts are reused; a new one is made if all are in use. Making one for each ES256 signature would take two
/// hundredths of the time of the signature, and all threads would count references to the same objects.
///
/// Sendable although it holds pointers: neither the key nor the template is changed after `init`. Making a context
/// copies the template, which reads it and counts a reference to the key atomically. OpenSSL wipes the key when it
/// frees it.
@safe
final class SigningKeyHandle: @unchecked Sendable {
    let key: OpaquePointer
    private let template: OpaquePointer
    private let idle = IdlePool<SigningContext>(maximumIdleCount: 16)

    /// Takes ownership of a key object, and frees it if initialization fails.
    ///
    /// `prepare` sets the parameters of the signatures, and returns whether this succeeded.
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

    /// Signs a digest.
    ///
    /// Returns the length of the signature in OpenSSL's form; `nil` if OpenSSL fails.
    func sign(_ digest: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        // A context that failed is not reused.
        guard let context = unsafe idle.take() ?? SigningContext(copying: template),
            let count = unsafe context.sign(digest, into: target)
        else { return nil }
        idle.give(context)
        return count
    }

    /// Signs a digest.
    ///
    /// Returns the signature in OpenSSL's form; `nil` if OpenSSL fails.
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
    /// Wipes and frees parameters: OpenSSL itself would leave the scalar in memory.
    static func freeWiped(_ parameters: UnsafeMutablePointer<OSSL_PARAM>) {
        if let number = unsafe OSSL_PARAM_locate(parameters, name("priv")) {
            unsafe OPENSSL_cleanse(number.pointee.data, number.pointee.data_size)
        }
        unsafe OSSL_PARAM_free(parameters)
    }

    /// Creates a key object from the parameters in a builder; `nil` if OpenSSL rejects them.
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
