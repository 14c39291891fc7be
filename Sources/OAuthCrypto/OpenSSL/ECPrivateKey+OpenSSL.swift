// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// A private key on P-384 or P-521, for ES384 and ES512 signatures (RFC 7518 section 3.4).
///
/// Copies share one key object; any number of threads may sign with it at once.
package struct ECPrivateKey: Sendable {
    private let handle: SigningKeyHandle

    /// The public key that belongs to it.
    package let publicKey: ECPublicKey

    /// Makes a new key from the system's random octets.
    ///
    /// - Parameter curve: The curve.
    /// - Throws: ``CryptoError`` when OpenSSL makes none.
    package init(generating curve: ECDSACurve) throws(CryptoError) {
        let key = unsafe P256Curve.withKeyContext { context -> OpaquePointer? in
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_keygen_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_group_name(context, OpenSSL.name(curve.name)) == 1,
                unsafe EVP_PKEY_generate(context, &key) == 1
            else { return nil }
            return unsafe key
        }
        try unsafe self.init(SigningKeyHandle(key ?? nil, "make a key on an elliptic curve"), curve)
    }

    /// Takes a private key as a number; the public key is computed from it.
    ///
    /// - Parameters:
    ///   - rawRepresentation: As long as a coordinate, most significant octet first, from 1 to the order minus 1.
    ///   - curve: The curve.
    /// - Throws: ``CryptoError`` for any other length or number.
    package init(rawRepresentation: [UInt8], curve: ECDSACurve) throws(CryptoError) {
        guard rawRepresentation.count == curve.scalarCount else {
            throw CryptoError("import a private key: it must be \(curve.scalarCount) octets long")
        }
        guard let number = unsafe BN_bin2bn(rawRepresentation, Int32(rawRepresentation.count), nil) else {
            throw OpenSSL.failure("import a private key: no memory")
        }
        defer { unsafe BN_clear_free(number) }
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
        guard unsafe BN_is_zero(number) == 0,
            unsafe BN_cmp(number, EC_GROUP_get0_order(curve.group.pointer)) < 0
        else { throw CryptoError("import a private key: it must be at least 1 and below the order of the curve") }
        guard let point = unsafe Self.encodedPoint(of: number, curve) else {
            throw OpenSSL.failure("import a private key")
        }
        let handle = try unsafe SigningKeyHandle(Self.makeKey(number, point, curve), "import a private key")
        try self.init(handle, curve)
    }

    private init(_ handle: SigningKeyHandle, _ curve: ECDSACurve) throws(CryptoError) {
        self.handle = handle
        var point = [UInt8](zeros: curve.pointCount)
        var count = 0
        let status = unsafe EVP_PKEY_get_octet_string_param(
            handle.key,
            "encoded-pub-key",
            &point,
            point.count,
            &count
        )
        guard status == 1, count == point.count, point[0] == P256Curve.uncompressed else {
            throw OpenSSL.failure("read the public part of a key")
        }
        publicKey = try ECPublicKey(
            curve: curve,
            x: Array(point[1...curve.scalarCount]),
            y: Array(point[(1 + curve.scalarCount)...])
        )
    }

    /// The private key as a number, as long as a coordinate, most significant octet first.
    ///
    /// Wipe it after use.
    package var rawRepresentation: [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(handle.key, "priv", &number) == 1 else {
            OpenSSL.unusable("read a private key that it made")
        }
        defer { unsafe BN_clear_free(number) }
        var scalar = [UInt8](zeros: publicKey.curve.scalarCount)
        guard unsafe BN_bn2binpad(number, &scalar, Int32(scalar.count)) == Int32(scalar.count) else {
            OpenSSL.unusable("write a private key that it made")
        }
        return scalar
    }

    /// Signs with ES384 or ES512, as the curve says.
    ///
    /// - Parameter message: What to sign, not its digest; it may be empty.
    /// - Returns: r and s, each as long as a coordinate; another signature each time.
    /// - Throws: ``CryptoError`` when OpenSSL does not sign.
    package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let curve = publicKey.curve
        guard let der = handle.sign(curve.hash.hash(message)), let raw = curve.decodeSignature(der: der) else {
            throw OpenSSL.failure("sign with an elliptic curve")
        }
        return raw
    }

    private static func encodedPoint(of scalar: OpaquePointer, _ curve: ECDSACurve) -> [UInt8]? {
        let group = unsafe curve.group.pointer
        guard let point = unsafe EC_POINT_new(group) else { return nil }
        defer { unsafe EC_POINT_free(point) }
        var encoded = [UInt8](zeros: curve.pointCount)
        guard unsafe EC_POINT_mul(group, point, scalar, nil, nil, nil) == 1,
            unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &encoded, encoded.count, nil)
                == encoded.count
        else { return nil }
        return encoded
    }

    private static func makeKey(_ scalar: OpaquePointer, _ point: [UInt8], _ curve: ECDSACurve) -> OpaquePointer? {
        guard let builder = unsafe OSSL_PARAM_BLD_new() else { return nil }
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        // The builder keeps the addresses it is given until the parameters are made.
        return unsafe OpenSSL.withPointer(point.span) { start, count -> OpaquePointer? in
            let (group, name) = unsafe (OpenSSL.name("group"), OpenSSL.name(curve.name))
            guard unsafe OSSL_PARAM_BLD_push_utf8_string(builder, group, name, 0) == 1,
                unsafe OSSL_PARAM_BLD_push_BN_pad(builder, OpenSSL.name("priv"), scalar, curve.scalarCount) == 1,
                unsafe OSSL_PARAM_BLD_push_octet_string(builder, OpenSSL.name("pub"), start, count) == 1
            else { return nil }
            return unsafe OpenSSL.makeKey("EC", OpenSSL.selectKeyPair, from: builder)
        }
    }
}
#endif
