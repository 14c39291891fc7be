// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import TestSupport
import Testing

@testable import OAuthCrypto

@Suite("RFC 8017 appendix A.1: RSA keys in DER, beside OpenSSL", .computesForLong)
struct RSAKeyDERTests {
    /// Generating a key takes a second: one is enough for all tests.
    private static let generated = Result { try RSAPrivateKey(generating: RSASignatureScheme(.pss, .sha256)) }

    private let key: RSAPrivateKey
    private let pkcs8: [UInt8]

    init() throws {
        key = try Self.generated.get()
        pkcs8 = key.pkcs8
    }

    /// What OpenSSL reads out of an `RSAPublicKey`, and writes again.
    private static func throughOpenSSL(_ der: [UInt8]) -> (bits: Int, written: [UInt8])? {
        let key = unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &next, buffer.count)
        }
        guard let key = unsafe key else { return nil }
        defer { unsafe EVP_PKEY_free(key) }
        var written = [UInt8](repeating: 0, count: Int(unsafe i2d_PublicKey(key, nil)))
        _ = unsafe written.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe i2d_PublicKey(key, &next)
        }
        return (unsafe Int(EVP_PKEY_get_bits(key)), written)
    }

    @Test(arguments: [2048, 2049, 2055, 3072, 4096, 8191, 8192])
    func `a public key is what OpenSSL writes, for each length`(bits: Int) throws {
        var random = SeededGenerator(seed: UInt64(bits))
        for exponent in [[3], [0x80, 0x01], [1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
            var modulus = random.bytes((bits + 7) / 8)
            modulus[0] = UInt8(1 << ((bits - 1) % 8)) | modulus[0] & (UInt8(1 << ((bits - 1) % 8)) - 1)
            modulus[modulus.count - 1] |= 1
            let der = RSAKeyDER.encode(try RSAPublicKey(modulus: modulus, exponent: exponent))
            let answer = try #require(Self.throughOpenSSL(der))
            #expect(answer.bits == bits)
            #expect(answer.written == der)
        }
    }

    @Test func `a private key of OpenSSL is taken apart and put together again`() throws {
        let parts = try #require(RSAKeyDER.unwrap(pkcs8: pkcs8))
        #expect(parts.modulus == key.publicKey.modulus)
        #expect(parts.exponent == key.publicKey.exponent)
        #expect(RSAKeyDER.wrap(pkcs1: parts.pkcs1) == pkcs8)
        #expect(RSAKeyDER.read(pkcs1: parts.pkcs1)?.modulus == parts.modulus)
        let again = try RSAPrivateKey(pkcs8: RSAKeyDER.wrap(pkcs1: parts.pkcs1), scheme: key.scheme)
        #expect(try key.publicKey.isValidSignature(again.signature(for: [1]), for: [1], scheme: key.scheme))
    }

    @Test func `what is cut short, or has one octet more, is rejected`() {
        for count in 0..<pkcs8.count { #expect(RSAKeyDER.unwrap(pkcs8: Array(pkcs8.prefix(count))) == nil) }
        #expect(RSAKeyDER.unwrap(pkcs8: pkcs8 + [0]) == nil)
        #expect(RSAKeyDER.read(pkcs1: pkcs8) == nil)
    }

    @Test func `a changed octet outside the numbers is rejected`() throws {
        let parts = try #require(RSAKeyDER.unwrap(pkcs8: pkcs8))
        // Everything up to the modulus: tags, lengths, versions, the algorithm.
        let prefix = pkcs8.count - parts.pkcs1.count + 11
        for place in 0..<prefix {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var changed = pkcs8
                changed[place] ^= change
                #expect(RSAKeyDER.unwrap(pkcs8: changed) == nil, "octet \(place)")
            }
        }
    }

    @Test(
        arguments: [
            [0x30, 0x80, 0, 0], [0x30, 0x81, 3, 2, 1, 0], [0x30, 0x82, 0, 3, 2, 1, 0],
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 3, 2, 1, 0], [0x30, 6, 2, 1, 0, 2, 1, 0x80], [0x30, 7, 2, 1, 0, 2, 2, 0, 1], [],
        ] as [[UInt8]]
    )
    func `lengths and numbers have one form only`(bytes: [UInt8]) {
        #expect(RSAKeyDER.read(pkcs1: bytes) == nil)
    }
}
