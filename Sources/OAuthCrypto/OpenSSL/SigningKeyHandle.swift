// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// OpenSSL's object of a private key that signs digests, and contexts that sign with it.
///
/// Sendable although it holds a pointer: the key is not changed after `init`. OpenSSL wipes it when it frees it.
@safe
final class SigningKeyHandle: @unchecked Sendable {
    let key: OpaquePointer
    private let contexts: SigningContexts

    /// Takes over a key object; frees it when it does not come to sign.
    ///
    /// `prepare` sets what the signatures need beyond the key, and says whether that worked.
    init(
        _ key: OpaquePointer?,
        _ operation: String,
        prepare: (OpaquePointer) -> Bool = { _ in true }
    ) throws(CryptoError) {
        guard let key = unsafe key else { throw OpenSSL.failure(operation) }
        guard let contexts = unsafe SigningContexts(of: key, prepare: prepare) else {
            unsafe EVP_PKEY_free(key)
            throw OpenSSL.failure(operation)
        }
        unsafe (self.key, self.contexts) = (key, contexts)
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// Signs a digest; returns how many octets the signature has in OpenSSL's form, `nil` when it makes none.
    func sign(_ digest: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        unsafe contexts.sign(digest, into: target)
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
