// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7518 sections 3.3, 3.5 and 6.3: RSA")
struct RSAKeyTests {
    private let vector: PeerVector

    init() throws {
        vector = try #require(PeerVector.accepted.first { $0.description == "PS256" })
    }

    private static func number(bits: Int, last: UInt8 = 0xC1) -> JSONValue {
        var bytes = [UInt8](repeating: 0xC1, count: (bits + 7) / 8)
        bytes[0] = UInt8(1 << ((bits - 1) % 8))
        bytes[bytes.count - 1] = last
        return .string(Base64URL.encode(bytes))
    }

    private static func code(n: JSONValue?, e: JSONValue?) -> JOSEError.Code? {
        var object: JSONObject = ["kty": "RSA"]
        object["n"] = n
        object["e"] = e
        return errorCode { try JWK(parsing: object) }
    }

    @Test(arguments: [2048, 2049, 3072, 4096, 8191, 8192])
    func `a modulus of 2048 to 8192 bits is read`(bits: Int) {
        #expect(Self.code(n: Self.number(bits: bits), e: "AQAB") == nil)
    }

    @Test(arguments: [8, 512, 1024, 2047, 8193, 16384])
    func `attack 76, a modulus of fewer or more bits is rejected`(bits: Int) {
        #expect(Self.code(n: Self.number(bits: bits), e: "AQAB") == .malformedKey)
    }

    @Test func `attack 76, an even modulus, leading zeros and what is no number are rejected`() throws {
        #expect(Self.code(n: Self.number(bits: 2048, last: 0xC0), e: "AQAB") == .malformedKey)
        let bytes = try Base64URL.decode(#require(Self.number(bits: 2048).stringValue))
        #expect(Self.code(n: .string(Base64URL.encode([0] + bytes)), e: "AQAB") == .malformedKey)
        #expect(Self.code(n: .string(Base64URL.encode([0] + bytes.dropFirst())), e: "AQAB") == .malformedKey)
        for n: JSONValue? in [nil, "", 1, .null, "AQAB=", [], "A"] {
            #expect(Self.code(n: n, e: "AQAB") == .malformedKey)
        }
    }

    @Test(arguments: [[3], [5], [17], [1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [1, 0, 0, 1]] as [[UInt8]])
    func `an odd exponent from 3 to below 2 to the 32 is read`(bytes: [UInt8]) {
        #expect(Self.code(n: Self.number(bits: 2048), e: .string(Base64URL.encode(bytes))) == nil)
    }

    @Test(
        arguments: [
            [], [0], [1], [2], [4], [1, 0, 0], [0, 3], [0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0, 1],
            [UInt8](repeating: 0xFF, count: 256),
        ] as [[UInt8]]
    )
    func `attack 76, another exponent is rejected`(bytes: [UInt8]) {
        #expect(Self.code(n: Self.number(bits: 2048), e: .string(Base64URL.encode(bytes))) == .malformedKey)
    }

    @Test(arguments: [nil, 65537, .null, "", "AQAB "] as [JSONValue?])
    func `attack 76, an exponent that is no number is rejected`(value: JSONValue?) {
        #expect(Self.code(n: Self.number(bits: 2048), e: value) == .malformedKey)
    }

    @Test func `a signature that is the modulus or above is rejected`() throws {
        let modulus = try Base64URL.decode(#require(vector.jwk["n"]?.stringValue))
        let key = try JWK(parsing: vector.jwk)
        let zero = [UInt8](repeating: 0, count: modulus.count)
        let one = Array(zero.dropLast()) + [1]
        let minusOne = Array(modulus.dropLast()) + [modulus[modulus.count - 1] - 1]
        for signature in [modulus, zero, one, minusOne, [UInt8](repeating: 0xFF, count: modulus.count)] {
            for algorithm: SignatureAlgorithm in [.rs256, .ps256, .rs384, .ps384, .rs512, .ps512] {
                #expect(!key.isValidSignature(signature, for: [1], algorithm: algorithm))
            }
        }
    }

    @Test func `a modulus that no signer has verifies nothing, the largest quickly`() throws {
        for bits in [2048, 8192] {
            let key = try JWK(parsing: ["kty": "RSA", "n": Self.number(bits: bits), "e": "_____w"])
            let signature = [UInt8](repeating: 1, count: bits / 8)
            #expect(!key.isValidSignature(signature, for: [], algorithm: .rs256))
            #expect(!key.isValidSignature(signature, for: [], algorithm: .ps512))
        }
    }

    @Test func `a private key that is cut, longer, or of another type is rejected`() throws {
        let ellipticKey: [UInt8] =
            [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]
            + [0x04, 0x22, 0x04, 0x20] + [UInt8](repeating: 7, count: 32)
        let bytes = vector.privateKey
        for other in [
            [], [0], Array(bytes.dropLast()), Array(bytes.dropFirst()), bytes + [0], ellipticKey,
            [UInt8](repeating: 1, count: 32),
        ] {
            for algorithm: SignatureAlgorithm in [.rs256, .ps256] {
                #expect(
                    errorCode {
                        try SoftwareSigningKey(privateKeyBytes: other, algorithm: algorithm, protection: .memory)
                    }
                        == .malformedKey
                )
            }
        }
    }

    @Test func `a private key of which a part was changed is rejected`() throws {
        // The last octets are those of the coefficient; 700 lies in the private exponent or a prime.
        for index in [700, vector.privateKey.count - 1] {
            var bytes = vector.privateKey
            bytes[index] ^= 1
            #expect(
                errorCode { try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: .rs256, protection: .memory) }
                    == .malformedKey
            )
        }
    }

    @Test func `a new key has 3072 bits and signs`() async throws {
        let key = try SoftwareSigningKey(generating: .ps256)
        let signature = try await key.sign([1, 2, 3])
        #expect(signature.count == 384)
        #expect(key.publicKey.isValidSignature(signature, for: [1, 2, 3], algorithm: .ps256))
        #expect(!key.publicKey.isValidSignature(signature, for: [1, 2, 3], algorithm: .rs256))
        #expect(try await key.sign([1, 2, 3]) != signature)
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
    func `one key signs message after message, and for many tasks at once`(algorithm: SignatureAlgorithm) async throws {
        let key = try SoftwareSigningKey(
            privateKeyBytes: vector.privateKey,
            algorithm: algorithm,
            protection: .memory
        )
        try await withThrowingTaskGroup(of: [Bool].self) { group in
            for task in 0..<8 {
                group.addTask {
                    var results: [Bool] = []
                    for round in 0..<4 {
                        let message = [UInt8(task), UInt8(round)]
                        let signature = try await key.sign(message)
                        results.append(key.publicKey.isValidSignature(signature, for: message, algorithm: algorithm))
                    }
                    return results
                }
            }
            for try await results in group { #expect(results == [true, true, true, true]) }
        }
    }
}
