// SPDX-License-Identifier: Apache-2.0

extension RSAPublicKey {
    /// Whether a modulus has the structure of CVE-2017-15361, from which its primes can be computed.
    ///
    /// Keys of some TPMs, smart cards and tokens have it: each prime is `k M + 65537^a mod M`, where M is the product
    /// of the first primes, 126 of them for 2048 bits and more for longer keys. The modulus is therefore a power of
    /// 65537 modulo each of them. Any other modulus is one by chance with a probability below 2^-100.
    ///
    /// - Parameter modulus: The modulus, big-endian.
    /// - Returns: Whether it has the structure.
    static func isFactorable(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { isPowerOf65537(remainder(of: modulus, by: $0), modulo: $0) }
    }

    /// The fifth to the 126th prime.
    ///
    /// The first four carry no information.
    private static let primes = (11...701 as ClosedRange<UInt64>).filter { number in
        (2..<number).allSatisfy { number % $0 != 0 || $0 * $0 > number }
    }

    private static func remainder(of modulus: [UInt8], by prime: UInt64) -> UInt64 {
        modulus.reduce(0) { ($0 << 8 | UInt64($1)) % prime }
    }

    private static func isPowerOf65537(_ number: UInt64, modulo prime: UInt64) -> Bool {
        var power: UInt64 = 1
        repeat {
            guard power != number else { return true }
            power = power * 65537 % prime
        } while power != 1
        return false
    }
}
