// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7518 sections 3.4 and 6.2: P-384 and P-521")
struct ECKeyTests {
    private static let vectors = PeerVector.accepted.filter { ["ES384", "ES512"].contains($0.description) }

    private static func order(_ vector: PeerVector) -> [UInt8] {
        vector.description == "ES384"
            ? [UInt8](repeating: 0xFF, count: 24) + [
                0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2,
                0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
            ]
            : [0x01] + [UInt8](repeating: 0xFF, count: 32) + [
                0xFA, 0x51, 0x86, 0x87, 0x83, 0xBF, 0x2F, 0x96, 0x6B, 0x7F, 0xCC, 0x01, 0x48, 0xF7, 0x09, 0xA5, 0xD0,
                0x3B, 0xB5, 0xC9, 0xB8, 0x89, 0x9C, 0x47, 0xAE, 0xBB, 0x6F, 0xB7, 0x1E, 0x91, 0x38, 0x64, 0x09,
            ]
    }

    private static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var (result, borrow) = (left, 0)
        for index in left.indices.reversed() {
            let value = Int(left[index]) - Int(right[index]) - borrow
            (result[index], borrow) = (UInt8(truncatingIfNeeded: value), value < 0 ? 1 : 0)
        }
        return result
    }

    @Test(arguments: vectors)
    func `trap 32: attack 79, r and s out of range are rejected, and so is DER`(vector: PeerVector) throws {
        let jws = try CompactJWS(parsing: vector.jws)
        let key = try JWK(parsing: vector.jwk)
        let half = jws.signature.count / 2
        let (r, s) = (Array(jws.signature[..<half]), Array(jws.signature[half...]))
        let (zero, ones) = ([UInt8](repeating: 0, count: half), [UInt8](repeating: 0xFF, count: half))
        let order = Self.order(vector)
        #expect(order.count == half)
        let negative = Self.difference(zero, s)
        let body = [0x02, UInt8(half + 1), 0] + r + [0x02, UInt8(half + 1), 0] + s
        let forged = [
            zero + s, r + zero, zero + zero, order + s, r + order, ones + s, r + ones, s + r, order + order,
            r + negative, [0x30, 0x81, UInt8(body.count)] + body, r, s, r + s + s,
            [0x30, UInt8(half)] + r.dropFirst(2) + s,
        ]
        for signature in forged {
            #expect(!key.isValidSignature(signature, for: jws.signingInput, algorithm: jws.algorithm))
        }
        #expect(key.isValidSignature(r + s, for: jws.signingInput, algorithm: jws.algorithm))
    }

    @Test(arguments: vectors)
    func `attack 80, the twin of a signature, r and n - s, is valid as in the specification`(vector: PeerVector) throws
    {
        let jws = try CompactJWS(parsing: vector.jws)
        let half = jws.signature.count / 2
        let (r, s) = (Array(jws.signature[..<half]), Array(jws.signature[half...]))
        let twin = r + Self.difference(Self.order(vector), s)
        let key = try JWK(parsing: vector.jwk)
        #expect(key.isValidSignature(twin, for: jws.signingInput, algorithm: jws.algorithm))
    }

    @Test(arguments: vectors)
    func `attack 75, coordinates of another length and points off the curve are rejected`(vector: PeerVector) throws {
        let x = try Base64URL.decode(#require(vector.jwk["x"]?.stringValue))
        let y = try Base64URL.decode(#require(vector.jwk["y"]?.stringValue))
        let (zero, ones) = ([UInt8](repeating: 0, count: x.count), [UInt8](repeating: 0xFF, count: x.count))
        let points: [([UInt8], [UInt8])] = [
            (Array(x.dropLast()), y), (x, Array(y.dropFirst())), ([0] + x, y), (x, y + [0]), ([4] + x + y, y), ([], y),
            (x, []),
            (x, x), (y, x), (zero, zero), (zero, y), (x, zero), (ones, ones), (x, ones), (ones, y),
        ]
        for (x, y) in points {
            var object = vector.jwk
            object["x"] = .string(Base64URL.encode(x))
            object["y"] = .string(Base64URL.encode(y))
            #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
            guard let unchecked = try? JWK(parsingUnchecked: object) else { continue }
            let jws = try CompactJWS(parsing: vector.jws)
            #expect(errorCode { try jws.verify(with: unchecked, allowing: [jws.algorithm]) } == .invalidSignature)
        }
        // A verifier that met a point off the curve is not used again.
        let jws = try CompactJWS(parsing: vector.jws)
        try jws.verify(with: JWK(parsing: vector.jwk), allowing: [jws.algorithm])
    }

    @Test(arguments: vectors)
    func `attack 72, a key under the name of another curve is rejected`(vector: PeerVector) {
        for curve: JSONValue? in ["P-256", "P-384", "P-521", "p-384", "secp384r1", "Ed25519", nil, 384] {
            var object = vector.jwk
            guard object["crv"] != curve else { continue }
            object["crv"] = curve
            #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
        }
    }

    @Test(arguments: vectors)
    func `private keys of another length, zero, the order and above it are rejected`(vector: PeerVector) {
        let order = Self.order(vector)
        let algorithm = SignatureAlgorithm(rawValue: vector.description)
        let one = [UInt8](repeating: 0, count: order.count - 1) + [1]
        func code(_ bytes: [UInt8]) -> JOSEError.Code? {
            errorCode { try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: algorithm, protection: .memory) }
        }
        for bytes in [
            [], [1], Array(one.dropFirst()), [0] + one, [UInt8](repeating: 0, count: order.count), order,
            [UInt8](repeating: 0xFF, count: order.count),
        ] {
            #expect(code(bytes) == .malformedKey)
        }
        #expect(code(one) == nil)
        #expect(code(Self.difference(order, one)) == nil)
    }
}
