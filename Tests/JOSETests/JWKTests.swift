// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7517 and RFC 7518 section 6.2: public keys")
struct JWKTests {
    private let json: JSONObject

    init() throws {
        json = try TestKey.p256().publicKey.json
    }

    @Test func `a public key is read and written as it was`() throws {
        var object = json
        object["kid"] = "one"
        object["use"] = "sig"
        object["alg"] = "ES256"
        let key = try JWK(parsing: object)
        #expect(key.keyID == "one")
        #expect(key.use == "sig")
        #expect(key.algorithm == .es256)
        #expect(key.json == object)
        #expect(object.members.map(\.name) == ["crv", "kty", "x", "y", "kid", "use", "alg"])
    }

    @Test func `members that nobody knows are ignored and not passed on`() throws {
        var object = json
        object["x5u"] = "https://attacker.example/"
        object["ext"] = true
        #expect(try JWK(parsing: object).json == json)
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `trap 31: attack 74, a private member is rejected whatever its value`(name: String) throws {
        for value: JSONValue in ["AAAA", .null, 1, "", []] {
            var object = json
            object[name] = value
            #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
            #expect(errorCode { try JWK(parsingUnchecked: object) } == .malformedKey)
        }
    }

    @Test func `attack 74, a private member spelled with an escape is rejected`() throws {
        let text = String(decoding: JSONValue.object(json).encoded(), as: UTF8.self)
        let object = try JSONValue(parsing: Array("\(text.dropLast()),\"\\u0064\":\"AAAA\"}".utf8)).objectValue
        let withPrivateMember = try #require(object)
        #expect(errorCode { try JWK(parsing: withPrivateMember) } == .malformedKey)
    }

    @Test(
        arguments: [
            ("kty", nil), ("kty", 1), ("kty", "ec"), ("kty", "RSA"), ("kty", "oct"), ("kty", "OKP"),
            ("crv", nil), ("crv", "P-384"), ("crv", "P-521"), ("crv", "secp256k1"), ("crv", "p-256"), ("crv", 256),
            ("crv", "Ed25519"),
            ("key_ops", []), ("key_ops", ["sign"]), ("key_ops", "verify"), ("key_ops", ["verify", "verify"]),
            ("key_ops", ["verify", 1]), ("key_ops", .null), ("key_ops", ["verify", "encrypt"]),
            ("x", nil), ("y", nil), ("x", 1), ("y", .null), ("x", ""), ("y", []),
            ("use", "enc"), ("use", 1), ("kid", 5), ("kid", .null), ("alg", 256), ("alg", ["ES256"]),
        ] as [(String, JSONValue?)]
    )
    func `refuses`(name: String, value: JSONValue?) {
        var object = json
        object[name] = value
        #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
    }

    @Test(arguments: ["x", "y"])
    func `attack 75, coordinates of another length are rejected`(name: String) throws {
        let text = try #require(json[name]?.stringValue)
        let bytes = try Base64URL.decode(text)
        let others = [
            Array(bytes.dropFirst()), Array(bytes.dropLast()), [0] + bytes, bytes + [0], [4] + bytes + bytes,
            bytes + bytes, [],
        ]
        for other in others {
            var object = json
            object[name] = .string(Base64URL.encode(other))
            #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
        }
        for other in [
            text + "=", text + " ", " " + text, text.replacing("-", with: "+").replacing("_", with: "/") + "=",
        ] {
            var object = json
            object[name] = .string(other)
            #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
        }
    }

    @Test func `trap 32: attack 75, leading zeros belong to a coordinate`() throws {
        let key = try Self.keyWithLeadingZero()
        let name = try #require(["x", "y"].first { try Base64URL.decode(key.json[$0]?.stringValue ?? "").first == 0 })
        #expect(try JWK(parsing: key.json) == key)
        var stripped = key.json
        stripped[name] = try .string(
            Base64URL.encode(Array(Base64URL.decode(#require(key.json[name]?.stringValue)).drop { $0 == 0 }))
        )
        #expect(errorCode { try JWK(parsing: stripped) } == .malformedKey)
    }

    @Test func `attack 75, a point that is not on the curve is rejected`() throws {
        let x = try #require(json["x"])
        let points: [(JSONValue, JSONValue)] = [
            (x, x), (.zero, .zero), (.zero, .one), (.ones, .ones), (x, .ones), (.ones, x), (x, .zero),
        ]
        for (x, y) in points {
            var object = json
            object["x"] = x
            object["y"] = y
            #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
            let unchecked = try JWK(parsingUnchecked: object)
            #expect(!unchecked.isValidSignature([UInt8](repeating: 1, count: 64), for: [], algorithm: .es256))
        }
    }

    @Test func `a coordinate that is not below the prime is rejected`() throws {
        // y + p and x + p do not fit into 32 bytes for most points; p itself does, and means zero.
        let prime: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
            + [UInt8](repeating: 0xFF, count: 12)
        // (0, y) is a point of P-256: this y is the square root of b.
        let rootOfB: [UInt8] = [
            0x66, 0x48, 0x5C, 0x78, 0x0E, 0x2F, 0x83, 0xD7, 0x24, 0x33, 0xBD, 0x5D, 0x84, 0xA0, 0x6B, 0xB6,
            0x54, 0x1C, 0x2A, 0xF3, 0x1D, 0xAE, 0x87, 0x17, 0x28, 0xBF, 0x85, 0x6A, 0x17, 0x4F, 0x93, 0xF4,
        ]
        var object = json
        object["y"] = .string(Base64URL.encode(rootOfB))
        object["x"] = .zero
        #expect(errorCode { try JWK(parsing: object) } == nil)
        object["x"] = .string(Base64URL.encode(prime))
        #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
    }

    @Test func `a name and a use do not touch the key`() throws {
        let key = try JWK(parsing: json)
        let named = key.named("one", algorithm: .es256)
        #expect(named.json["kid"] == "one")
        #expect(named.json["use"] == "sig")
        #expect(named.thumbprint == key.thumbprint)
    }

    @Test func `a key whose alg names another algorithm does not fit`() throws {
        let key = try JWK(parsing: json)
        #expect(key.fits(.es256))
        #expect(!key.fits(SignatureAlgorithm(rawValue: "es256")))
        #expect(!key.fits(.es384))
        #expect(!key.fits(SignatureAlgorithm(rawValue: "HS256")))
        #expect(!key.named("a", algorithm: SignatureAlgorithm(rawValue: "ES384")).fits(.es256))
    }

    private static func keyWithLeadingZero() throws -> JWK {
        var generator = SeededGenerator(seed: 75)
        while true {
            let key = try SoftwareSigningKey(
                privateKeyBytes: generator.bytes(32),
                algorithm: .es256,
                protection: .memory
            )
            let object = key.publicKey.json
            let hasZero = try ["x", "y"].contains { try Base64URL.decode(object[$0]?.stringValue ?? "").first == 0 }
            if hasZero { return key.publicKey }
        }
    }
}

extension JSONValue {
    fileprivate static let zero = string(Base64URL.encode([UInt8](repeating: 0, count: 32)))
    fileprivate static let one = string(Base64URL.encode([UInt8](repeating: 0, count: 31) + [1]))
    fileprivate static let ones = string(Base64URL.encode([UInt8](repeating: 0xFF, count: 32)))
}
