// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// What keys on P-256 share.
enum P256Curve {
    /// The first octet of a point in uncompressed form (SEC 1 section 2.3.3).
    static let uncompressed: UInt8 = 0x04
    /// The octets of a point in uncompressed form.
    static let pointCount = 65
    /// The octets of a coordinate and of a private key.
    static let scalarCount = 32
    static let name: StaticString = "prime256v1"

    /// The curve for arithmetic on points.
    static let group = unsafe SharedHandle(
        EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1),
        "find the curve P-256"
    )

    /// A key object that has the curve and no point: what verifiers are copied from.
    static let parameters = unsafe SharedHandle(makeParameters(), "make parameters of P-256")

    /// A context that makes keys or imports them, for elliptic curves.
    static func withKeyContext<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe body(context)
    }

    private static func makeParameters() -> OpaquePointer? {
        unsafe withKeyContext { context -> OpaquePointer? in
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_paramgen_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_group_name(context, OpenSSL.name(name)) == 1,
                unsafe EVP_PKEY_paramgen(context, &key) == 1
            else { return nil }
            return unsafe key
        } ?? nil
    }
}
#endif
