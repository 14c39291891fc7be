// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

/// OpenSSL's objects and sizes for a curve.
///
/// The keys of all curves are created and read in the same way.
struct EllipticCurve: Sendable {
    static let p256 = EllipticCurve("prime256v1", NID_X9_62_prime256v1, scalarCount: 32)
    static let p384 = EllipticCurve("secp384r1", NID_secp384r1, scalarCount: 48)
    static let p521 = EllipticCurve("secp521r1", NID_secp521r1, scalarCount: 66)

    /// The first byte of an uncompressed point (SEC 1 section 2.3.3).
    static let uncompressed: UInt8 = 0x04

    /// The length of a coordinate and of a private key, in bytes.
    let scalarCount: Int
    /// The group, for arithmetic on points.
    let group: SharedHandle
    /// A key object with the curve and without a point, from which verifiers are copied.
    let parameters: SharedHandle
    private let name: StaticString

    private init(_ name: StaticString, _ number: Int32, scalarCount: Int) {
        self.name = name
        self.scalarCount = scalarCount
        group = unsafe SharedHandle(EC_GROUP_new_by_curve_name(number), "find an elliptic curve")
        parameters = unsafe SharedHandle(Self.makeParameters(name), "make parameters of an elliptic curve")
    }

    /// The length of an uncompressed point, in bytes.
    var pointCount: Int { 1 + 2 * scalarCount }

    /// `nil` if OpenSSL cannot generate a key.
    func generateKey() -> OpaquePointer? {
        unsafe Self.makeObject(name, prepare: EVP_PKEY_keygen_init, make: EVP_PKEY_generate)
    }

    /// Imports a private key from its scalar, and computes the point.
    ///
    /// - Parameter scalar: The scalar, ``scalarCount`` bytes, big-endian, from 1 to the order minus 1.
    /// - Returns: The key object. The caller must free it.
    /// - Throws: ``CryptoError`` for any other length or number.
    func importKey(_ scalar: [UInt8]) throws(CryptoError) -> OpaquePointer {
        guard scalar.count == scalarCount else {
            throw CryptoError("import a private key: it must be \(scalarCount) octets long")
        }
        guard let number = unsafe BN_bin2bn(scalar, Int32(scalar.count), nil) else {
            throw OpenSSL.failure("import a private key: no memory")
        }
        defer { unsafe BN_clear_free(number) }
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
        guard unsafe BN_is_zero(number) == 0,
            unsafe BN_cmp(number, EC_GROUP_get0_order(group.pointer)) < 0
        else { throw CryptoError("import a private key: it must be at least 1 and below the order of the curve") }
        guard let point = unsafe encodedPoint(of: number), let key = unsafe makeKey(number, point) else {
            throw OpenSSL.failure("import a private key")
        }
        return unsafe key
    }

    private static func makeParameters(_ name: StaticString) -> OpaquePointer? {
        unsafe makeObject(name, prepare: EVP_PKEY_paramgen_init, make: EVP_PKEY_paramgen)
    }

    private static func makeObject(
        _ name: StaticString,
        prepare: (OpaquePointer) -> Int32,
        make: (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    ) -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe prepare(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, OpenSSL.name(name)) == 1,
            unsafe make(context, &key) == 1
        else { return nil }
        return unsafe key
    }

    private func encodedPoint(of scalar: OpaquePointer) -> [UInt8]? {
        let group = unsafe group.pointer
        guard let point = unsafe EC_POINT_new(group) else { return nil }
        defer { unsafe EC_POINT_free(point) }
        var encoded = [UInt8](zeros: pointCount)
        guard unsafe EC_POINT_mul(group, point, scalar, nil, nil, nil) == 1,
            unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &encoded, encoded.count, nil)
                == encoded.count
        else { return nil }
        return encoded
    }

    private func makeKey(_ scalar: OpaquePointer, _ point: [UInt8]) -> OpaquePointer? {
        guard let builder = unsafe OSSL_PARAM_BLD_new() else { return nil }
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        // The builder keeps these addresses until it creates the parameters.
        return unsafe OpenSSL.withPointer(point.span) { start, count -> OpaquePointer? in
            guard
                unsafe OSSL_PARAM_BLD_push_utf8_string(builder, OpenSSL.name("group"), OpenSSL.name(name), 0) == 1,
                unsafe OSSL_PARAM_BLD_push_BN_pad(builder, OpenSSL.name("priv"), scalar, scalarCount) == 1,
                unsafe OSSL_PARAM_BLD_push_octet_string(builder, OpenSSL.name("pub"), start, count) == 1
            else { return nil }
            return unsafe OpenSSL.makeKey("EC", OpenSSL.selectKeyPair, from: builder)
        }
    }
}
#endif
