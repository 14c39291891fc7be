// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// An RSA private key in the form that cryptographic libraries read: a `PrivateKeyInfo` in DER (RFC 5208 section 5, RFC
/// 8017 appendix A.1.2).
enum RSAPrivateKeyInfo {
    private enum Tag {
        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let sequence: UInt8 = 0x30
    }

    /// `AlgorithmIdentifier` of rsaEncryption, with parameters NULL.
    private static let algorithm: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// The bytes for a private JWK of two primes with all its members; the library checks whether they match.
    static func bytes(of object: JSONObject) throws(JOSEError) -> [UInt8] {
        let version = integer([0])
        var numbers = version
        for name in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] {
            numbers += integer(try PrivateJWK.octets(name, of: object))
        }
        let key = element(Tag.octetString, element(Tag.sequence, numbers))
        return element(Tag.sequence, version + algorithm + key)
    }

    private static func integer(_ number: [UInt8]) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        // A leading zero keeps the number positive, and stands for zero itself.
        return element(Tag.integer, digits.first.map { $0 < 0x80 } ?? false ? digits : [0] + digits)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
