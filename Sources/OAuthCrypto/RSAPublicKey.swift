// SPDX-License-Identifier: Apache-2.0

/// An RSA public key within the limits of this project: the two numbers of a JWK (RFC 7518 section 6.3.1).
///
/// The limits exclude keys that are too weak (RFC 7518 section 3.3: at least 2048 bits), keys that cannot be RSA keys,
/// and keys that take too long to verify with.
package struct RSAPublicKey: Sendable, Hashable {
    /// The modulus: odd, 2048 to 8192 bits, big-endian, without leading zeros.
    package let modulus: [UInt8]
    /// The exponent: odd, at least 3 and below 2^32, big-endian, without leading zeros.
    package let exponent: [UInt8]

    /// Takes the two numbers, and checks them.
    ///
    /// - Parameters:
    ///   - modulus: The modulus, big-endian, without leading zeros.
    ///   - exponent: The exponent, big-endian, without leading zeros.
    /// - Throws: ``CryptoError`` for a number outside the limits, or with leading zeros (RFC 7518 sections 2 and
    ///   6.3.1.1), and for a modulus whose primes are known to be weak (CVE-2017-15361).
    package init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        guard let first = modulus.first, let last = modulus.last, first != 0 else {
            throw CryptoError("the modulus must be a number without leading zeros")
        }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard (2048...8192).contains(bits) else { throw CryptoError("the modulus must have 2048 to 8192 bits") }
        guard last & 1 == 1 else { throw CryptoError("the modulus must be odd") }
        guard (1...4).contains(exponent.count), exponent.first != 0 else {
            throw CryptoError("the exponent must be below 2^32 and without leading zeros")
        }
        let value = exponent.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard value >= 3, value & 1 == 1 else { throw CryptoError("the exponent must be odd and at least 3") }
        guard !Self.isFactorable(modulus) else {
            throw CryptoError("the modulus has the structure of CVE-2017-15361: its primes can be found")
        }
        (self.modulus, self.exponent) = (modulus, exponent)
    }
}
