// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// OpenSSL's object of a private key, and contexts that sign with it.
///
/// Sendable although it holds a pointer: the key is not changed after `init`. OpenSSL wipes it when it frees it.
@safe
final class P256PrivateKeyHandle: @unchecked Sendable {
    private let key: OpaquePointer
    private let contexts: SigningContexts

    /// Takes over a key object; frees it when it does not come to sign.
    private init(_ key: OpaquePointer) throws(CryptoError) {
        guard let contexts = unsafe SigningContexts(of: key) else {
            unsafe EVP_PKEY_free(key)
            throw OpenSSL.failure("prepare a P-256 key to sign")
        }
        unsafe (self.key, self.contexts) = (key, contexts)
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    static func generate() throws(CryptoError) -> P256PrivateKeyHandle {
        let key = unsafe P256Curve.withKeyContext { context -> OpaquePointer? in
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_keygen_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_group_name(context, OpenSSL.name(P256Curve.name)) == 1,
                unsafe EVP_PKEY_generate(context, &key) == 1
            else { return nil }
            return unsafe key
        }
        guard let key = unsafe key ?? nil else { throw OpenSSL.failure("make a P-256 key") }
        return try unsafe P256PrivateKeyHandle(key)
    }

    static func importing(_ scalar: [UInt8]) throws(CryptoError) -> P256PrivateKeyHandle {
        guard scalar.count == P256Curve.scalarCount else {
            throw CryptoError("import a P-256 private key: it must be 32 octets long")
        }
        guard let number = unsafe BN_bin2bn(scalar, Int32(scalar.count), nil) else {
            throw OpenSSL.failure("import a P-256 private key: no memory")
        }
        defer { unsafe BN_clear_free(number) }
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
        guard unsafe BN_is_zero(number) == 0,
            unsafe BN_cmp(number, EC_GROUP_get0_order(P256Curve.group.pointer)) < 0
        else { throw CryptoError("import a P-256 private key: it must be at least 1 and below the order of the curve") }
        guard let point = unsafe encodedPoint(of: number), let key = unsafe makeKey(number, point) else {
            throw OpenSSL.failure("import a P-256 private key")
        }
        return try unsafe P256PrivateKeyHandle(key)
    }

    /// The signature of a digest, 64 octets; `nil` when OpenSSL does not sign.
    func sign(_ digest: SHA256Digest) -> [UInt8]? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ECDSASignatureDER.maximumCount) { der in
            guard let count = digest.withBytes({ unsafe contexts.sign($0, into: der) }) else { return nil }
            return unsafe ECDSASignatureDER.decode(Span(_unsafeElements: UnsafeBufferPointer(rebasing: der[..<count])))
        }
    }

    func publicKey() throws(CryptoError) -> P256PublicKey {
        var point = [UInt8](zeros: P256Curve.pointCount)
        var count = 0
        guard unsafe EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", &point, point.count, &count) == 1,
            count == P256Curve.pointCount, point[0] == P256Curve.uncompressed
        else { throw OpenSSL.failure("read the public part of a P-256 key") }
        return try P256PublicKey(x: Array(point[1..<33]), y: Array(point[33..<65]))
    }

    func rawRepresentation() -> [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, "priv", &number) == 1 else {
            OpenSSL.unusable("read a private key that it made")
        }
        defer { unsafe BN_clear_free(number) }
        var scalar = [UInt8](zeros: P256Curve.scalarCount)
        guard unsafe BN_bn2binpad(number, &scalar, Int32(scalar.count)) == Int32(scalar.count) else {
            OpenSSL.unusable("write a private key that it made")
        }
        return scalar
    }

    private static func encodedPoint(of scalar: OpaquePointer) -> [UInt8]? {
        let group = unsafe P256Curve.group.pointer
        guard let point = unsafe EC_POINT_new(group) else { return nil }
        defer { unsafe EC_POINT_free(point) }
        var encoded = [UInt8](zeros: P256Curve.pointCount)
        guard unsafe EC_POINT_mul(group, point, scalar, nil, nil, nil) == 1,
            unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &encoded, encoded.count, nil)
                == encoded.count
        else { return nil }
        return encoded
    }

    private static func makeKey(_ scalar: OpaquePointer, _ point: [UInt8]) -> OpaquePointer? {
        guard let builder = unsafe OSSL_PARAM_BLD_new() else { return nil }
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        // The builder keeps the addresses it is given until the parameters are made.
        return unsafe OpenSSL.withPointer(point.span) { start, count -> OpaquePointer? in
            let (group, name) = unsafe (OpenSSL.name("group"), OpenSSL.name(P256Curve.name))
            guard unsafe OSSL_PARAM_BLD_push_utf8_string(builder, group, name, 0) == 1,
                unsafe OSSL_PARAM_BLD_push_BN_pad(builder, OpenSSL.name("priv"), scalar, P256Curve.scalarCount) == 1,
                unsafe OSSL_PARAM_BLD_push_octet_string(builder, OpenSSL.name("pub"), start, count) == 1
            else { return nil }
            return unsafe OpenSSL.makeKey("EC", OpenSSL.selectKeyPair, from: builder)
        }
    }
}
#endif
