// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// The numbers of a private key with two primes (RFC 8017 section 3.2), copied from OpenSSL and wiped afterwards.
@safe
struct RSAPrivateNumbers: ~Copyable {
    private let n, e, d, p, q, dP, dQ, qInv: OpaquePointer?
    private let third: OpaquePointer?
    private let context: OpaquePointer?

    init(_ key: OpaquePointer) {
        unsafe n = Self.copy("n", of: key)
        unsafe e = Self.copy("e", of: key)
        unsafe d = Self.copy("d", of: key)
        unsafe p = Self.copy("rsa-factor1", of: key)
        unsafe q = Self.copy("rsa-factor2", of: key)
        unsafe third = Self.copy("rsa-factor3", of: key)
        unsafe dP = Self.copy("rsa-exponent1", of: key)
        unsafe dQ = Self.copy("rsa-exponent2", of: key)
        unsafe qInv = Self.copy("rsa-coefficient1", of: key)
        unsafe context = BN_CTX_secure_new()
    }

    deinit {
        unsafe BN_clear_free(n)
        unsafe BN_clear_free(e)
        unsafe BN_clear_free(d)
        unsafe BN_clear_free(p)
        unsafe BN_clear_free(q)
        unsafe BN_clear_free(third)
        unsafe BN_clear_free(dP)
        unsafe BN_clear_free(dQ)
        unsafe BN_clear_free(qInv)
        unsafe BN_CTX_free(context)
    }

    /// Whether there are two primes, and the numbers satisfy the equations between them.
    ///
    /// Does not test that the primes are prime.
    var belongTogether: Bool {
        guard unsafe third == nil && p != nil && q != nil && context != nil, let product = unsafe BN_new() else {
            return false
        }
        defer { unsafe BN_clear_free(product) }
        guard unsafe BN_mul(product, p, q, context) == 1, unsafe BN_cmp(product, n) == 0 else { return false }
        return unsafe areExponents(dP, of: p) && areExponents(dQ, of: q) && areInverse(qInv, q, modulo: p)
    }

    /// Whether `e` is the inverse of `d` and of the prime's exponent, modulo the prime minus one.
    private func areExponents(_ exponent: OpaquePointer?, of prime: OpaquePointer?) -> Bool {
        guard let order = unsafe BN_dup(prime) else { return false }
        defer { unsafe BN_clear_free(order) }
        guard unsafe BN_sub_word(order, 1) == 1 else { return false }
        return unsafe areInverse(e, exponent, modulo: order) && areInverse(e, d, modulo: order)
    }

    private func areInverse(_ left: OpaquePointer?, _ right: OpaquePointer?, modulo modulus: OpaquePointer?) -> Bool {
        guard unsafe left != nil && right != nil, let product = unsafe BN_new() else { return false }
        defer { unsafe BN_clear_free(product) }
        return unsafe BN_mod_mul(product, left, right, modulus, context) == 1 && BN_is_one(product) == 1
    }

    private static func copy(_ name: StaticString, of key: OpaquePointer) -> OpaquePointer? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, OpenSSL.name(name), &number) == 1 else { return nil }
        return unsafe number
    }
}
#endif
