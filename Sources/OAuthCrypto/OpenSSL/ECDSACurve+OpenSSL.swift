// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

extension ECDSACurve {
    private static let p384Group = unsafe SharedHandle(
        EC_GROUP_new_by_curve_name(NID_secp384r1),
        "find the curve P-384"
    )
    private static let p521Group = unsafe SharedHandle(
        EC_GROUP_new_by_curve_name(NID_secp521r1),
        "find the curve P-521"
    )
    private static let p384Parameters = unsafe SharedHandle(makeParameters(of: .p384), "make parameters of P-384")
    private static let p521Parameters = unsafe SharedHandle(makeParameters(of: .p521), "make parameters of P-521")

    /// The name that OpenSSL knows.
    var name: StaticString {
        switch self {
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        }
    }

    /// The octets of a point in uncompressed form.
    var pointCount: Int { 1 + 2 * scalarCount }

    /// The curve for arithmetic on points.
    var group: SharedHandle {
        switch self {
        case .p384: Self.p384Group
        case .p521: Self.p521Group
        }
    }

    /// A key object that has the curve and no point: what verifiers are copied from.
    var parameters: SharedHandle {
        switch self {
        case .p384: Self.p384Parameters
        case .p521: Self.p521Parameters
        }
    }

    private static func makeParameters(of curve: ECDSACurve) -> OpaquePointer? {
        unsafe P256Curve.withKeyContext { context -> OpaquePointer? in
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_paramgen_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_group_name(context, OpenSSL.name(curve.name)) == 1,
                unsafe EVP_PKEY_paramgen(context, &key) == 1
            else { return nil }
            return unsafe key
        } ?? nil
    }
}

/// The two forms of an ECDSA signature on a curve: r and s of equal length (RFC 7518 section 3.4), which JWS wants, and
/// DER, which OpenSSL wants and writes.
extension ECDSACurve {
    /// The DER form; `nil` when the count is not that of the curve.
    func encodeSignature(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 2 * scalarCount, let signature = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        let r = unsafe BN_bin2bn(Array(raw[..<scalarCount]), Int32(scalarCount), nil)
        let s = unsafe BN_bin2bn(Array(raw[scalarCount...]), Int32(scalarCount), nil)
        guard unsafe r != nil, unsafe s != nil, unsafe ECDSA_SIG_set0(signature, r, s) == 1 else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            return nil
        }
        let count = unsafe i2d_ECDSA_SIG(signature, nil)
        guard count > 0 else { return nil }
        var der = [UInt8](zeros: Int(count))
        let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe i2d_ECDSA_SIG(signature, &next)
        }
        return written == count ? der : nil
    }

    /// The raw form of what OpenSSL made; `nil` when it does not fit the curve.
    func decodeSignature(der: [UInt8]) -> [UInt8]? {
        let signature = unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &next, buffer.count)
        }
        guard let signature = unsafe signature else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        var (r, s) = ([UInt8](zeros: scalarCount), [UInt8](zeros: scalarCount))
        let count = Int32(scalarCount)
        guard unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, count) == count,
            unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, count) == count
        else { return nil }
        return r + s
    }
}
#endif
