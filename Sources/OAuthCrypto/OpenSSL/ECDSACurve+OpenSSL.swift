// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

extension ECDSACurve {
    var ellipticCurve: EllipticCurve {
        switch self {
        case .p384: .p384
        case .p521: .p521
        }
    }
}

/// Converts between the two forms of an ECDSA signature: r and s of equal length, as in JWS (RFC 7518 section 3.4), and
/// DER, as in OpenSSL.
extension ECDSACurve {
    /// The DER form; `nil` if the length does not match the curve.
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

    /// The raw form of a signature from OpenSSL; `nil` if it does not fit the curve.
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
