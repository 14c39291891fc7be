// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 8032 section 5.1, RFC 8037: Ed25519")
struct Ed25519KeyTests {
    private let vector: PeerVector
    private let key: JWK
    private let jws: CompactJWS

    /// L, the order of the base point (RFC 8032 section 5.1), least significant octet first.
    private static let order: [UInt8] =
        [
            0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
        ] + [UInt8](repeating: 0, count: 15) + [0x10]

    init() throws {
        vector = try #require(PeerVector.accepted.first { $0.description == "Ed25519" })
        key = try JWK(parsing: vector.jwk)
        jws = try CompactJWS(parsing: vector.jws)
    }

    private func isValid(_ signature: [UInt8]) -> Bool {
        key.isValidSignature(signature, for: jws.signingInput, algorithm: .ed25519)
    }

    private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var (result, carry) = (left, 0)
        for index in left.indices {
            carry += Int(left[index]) + Int(right[index])
            (result[index], carry) = (UInt8(truncatingIfNeeded: carry), carry >> 8)
        }
        return result
    }

    @Test func `both names verify the same signature, each only where it is allowed`() throws {
        #expect(isValid(jws.signature))
        #expect(key.isValidSignature(jws.signature, for: jws.signingInput, algorithm: .edDSA))
        #expect(errorCode { try jws.verify(with: key, allowing: [.edDSA]) } == .algorithmNotAllowed)
        try jws.verify(with: key, allowing: [.ed25519])
    }

    @Test func `S with the order added, the order itself and above are rejected`() {
        let (r, s) = (Array(jws.signature[..<32]), Array(jws.signature[32...]))
        #expect(!isValid(r + Self.sum(s, Self.order)))
        #expect(!isValid(r + Self.order))
        #expect(!isValid(r + [UInt8](repeating: 0xFF, count: 32)))
        for bit: UInt8 in [0x20, 0x40, 0x80, 0xE0] {
            var high = s
            high[31] |= bit
            #expect(!isValid(r + high))
        }
        #expect(isValid(r + s))
    }

    @Test func `R as zero, as the neutral point, or not canonical is rejected`() {
        let s = Array(jws.signature[32...])
        let one = [1] + [UInt8](repeating: 0, count: 31)
        let zero = [UInt8](repeating: 0, count: 32)
        let prime = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        for r in [zero, one, prime, [0xEE] + prime.dropFirst(), [UInt8](repeating: 0xFF, count: 32)] {
            #expect(!isValid(r + s))
            #expect(!isValid(r + zero))
        }
    }

    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA",
        "7P_______________________________________38", "7P________________________________________8",
        "7f_______________________________________38", "7v_______________________________________38",
        "__________________________________________8",
        "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU", "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_IU",
        "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o", "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA_o",
    ])
    func `points of small order and coordinates that are not below the prime are no keys`(x: String) throws {
        #expect(try Base64URL.decode(x).count == 32)
        let object: JSONObject = ["kty": "OKP", "crv": "Ed25519", "x": .string(x)]
        #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
        #expect(errorCode { try JWK(parsingUnchecked: object) } == .malformedKey)
    }

    @Test func `a coordinate without a point verifies nothing`() throws {
        // No x belongs to y = 2 (RFC 8032 section 5.1.3, step 3).
        let bytes = [2] + [UInt8](repeating: 0, count: 31)
        let key = try JWK(parsing: ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(bytes))])
        #expect(!key.isValidSignature(jws.signature, for: jws.signingInput, algorithm: .ed25519))
        #expect(!key.isValidSignature([UInt8](repeating: 0, count: 64), for: [], algorithm: .ed25519))
    }

    @Test(
        arguments: [
            ("x", nil), ("x", ""), ("x", "AAAA"), ("x", 1), ("crv", nil), ("crv", "Ed448"), ("crv", "X25519"),
            ("crv", "ed25519"), ("crv", "P-256"), ("kty", "EC"), ("kty", "okp"), ("kty", "RSA"), ("d", "AAAA"),
        ] as [(String, JSONValue?)]
    )
    func `refuses`(name: String, value: JSONValue?) {
        var object = vector.jwk
        object[name] = value
        #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
    }

    @Test(arguments: [31, 33, 64])
    func `a key is 32 bytes`(count: Int) {
        var object = vector.jwk
        object["x"] = .string(Base64URL.encode([UInt8](repeating: 7, count: count)))
        #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
        let bytes = [UInt8](repeating: 7, count: count)
        #expect(
            errorCode { try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: .ed25519, protection: .memory) }
                == .malformedKey
        )
    }
}
