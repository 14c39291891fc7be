// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL
import OAuthSystem

extension SigningKeyHandle {
    /// The coordinates of the public key.
    func coordinates(on curve: EllipticCurve) throws(CryptoError) -> (x: [UInt8], y: [UInt8]) {
        var point = [UInt8](zeros: curve.pointCount)
        var count = 0
        let status = unsafe EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", &point, point.count, &count)
        guard status == 1, count == point.count, point[0] == EllipticCurve.uncompressed else {
            throw OpenSSL.failure("read the public part of a key")
        }
        return (Array(point[1...curve.scalarCount]), Array(point[(1 + curve.scalarCount)...]))
    }

    /// The scalar of the private key, as long as a coordinate, big-endian.
    ///
    /// Wipe it after use.
    func scalar(on curve: EllipticCurve) -> [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, "priv", &number) == 1 else {
            OpenSSL.unusable("read a private key that it made")
        }
        defer { unsafe BN_clear_free(number) }
        var scalar = [UInt8](zeros: curve.scalarCount)
        guard unsafe BN_bn2binpad(number, &scalar, Int32(scalar.count)) == Int32(scalar.count) else {
            OpenSSL.unusable("write a private key that it made")
        }
        return scalar
    }
}
#endif
