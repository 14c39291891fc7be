// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7515 section 3.1: compact serialization")
struct CompactJWSTests {
    private let key: SoftwareSigningKey

    init() throws {
        key = try TestKey.p256()
    }

    private func sign(_ header: String = #"{"alg":"ES256"}"#, _ payload: String = "payload") async throws -> String {
        try await RawJWS.sign(header: Array(header.utf8), payload: Array(payload.utf8), with: key)
    }

    @Test func `what is signed verifies, with that key only`() async throws {
        let text = try await CompactJWS.sign(header: ["typ": "x"], payload: Array("payload".utf8), with: key)
        let jws = try CompactJWS(parsing: text)
        #expect(jws.header == ["typ": "x", "alg": "ES256"])
        #expect(jws.payload == Array("payload".utf8))
        #expect(jws.algorithm == .es256)
        try jws.verify(with: key.publicKey, allowing: [.es256])
        let other = try TestKey.p256(2).publicKey
        #expect(errorCode { try jws.verify(with: other, allowing: [.es256]) } == .invalidSignature)
    }

    @Test func `alg comes from the key, whatever the caller wrote`() async throws {
        let text = try await CompactJWS.sign(header: ["alg": "none"], payload: [], with: key)
        #expect(try CompactJWS(parsing: text).algorithm == .es256)
    }

    @Test func `an empty payload can be signed`() async throws {
        let text = try await CompactJWS.sign(header: [:], payload: [], with: key)
        try CompactJWS(parsing: text).verify(with: key.publicKey, allowing: [.es256])
    }

    @Test func `attack 68, not a token of three segments`() async throws {
        let good = try await sign()
        let parts = good.split(separator: ".").map(String.init)
        let texts = [
            "", ".", "..", "...", "a.b.c", parts[0], "\(parts[0]).\(parts[1])", "\(good).", ".\(good)",
            "\(good).\(parts[2])",
            "\(parts[0])..\(parts[1]).\(parts[2])", "\(good).AAAA.AAAA", "\(good) ", " \(good)", "\(good)\n",
            "\(good)\0",
            "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])=.\(parts[2])", "\(good)=", "\(good)==",
            "\(parts[0]).é.\(parts[2])", ".\(parts[1]).\(parts[2])", "not a token",
        ]
        for text in texts {
            let code = errorCode { try CompactJWS(parsing: text) }
            #expect(code == .malformedToken, "\(text): \(code?.rawValue ?? "accepted")")
        }
    }

    @Test(arguments: ["", "null", "[]", "1", #""{}""#, "{", #"{"alg":"ES256","alg":"ES256"}"#, #"{"alg":"ES256"}x"#])
    func `the header is one strict JSON object`(header: String) async throws {
        let text = try await sign(header)
        #expect(errorCode { try CompactJWS(parsing: text) } == .malformedToken)
    }

    @Test(arguments: [
        "{}", #"{"alg":null}"#, #"{"alg":256}"#, #"{"alg":["ES256"]}"#, #"{"Alg":"ES256"}"#, #"{"alg":true}"#,
    ])
    func `attack 70, alg is missing or no string`(header: String) async throws {
        let text = try await sign(header)
        #expect(errorCode { try CompactJWS(parsing: text) } == .algorithmNotAllowed)
    }

    @Test(arguments: [
        "none", "None", "NONE", "", "HS256", "es256", "ES256 ", "ES384", "ES512", "ES256K", "RS256", "PS256", "EdDSA",
        "dir",
    ])
    func `attack 70, no other alg verifies, allowed or not, though the signature is right`(
        algorithm: String
    ) async throws {
        let jws = try CompactJWS(parsing: try await sign(#"{"alg":"\#(algorithm)"}"#))
        let other = SignatureAlgorithm(rawValue: algorithm)
        for allowed: Set<SignatureAlgorithm> in [[.es256], [other], [.es256, other]] {
            #expect(errorCode { try jws.verify(with: key.publicKey, allowing: allowed) } == .algorithmNotAllowed)
        }
    }

    @Test func `attack 70, alg none without a signature`() throws {
        let input = "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(Base64URL.encode(Array("{}".utf8)))"
        let jws = try CompactJWS(parsing: input + ".")
        #expect(errorCode { try jws.verify(with: key.publicKey, allowing: [.es256]) } == .algorithmNotAllowed)
    }

    @Test func `attack 71, ES256 is rejected when it is not allowed`() async throws {
        let jws = try CompactJWS(parsing: try await sign())
        #expect(errorCode { try jws.verify(with: key.publicKey, allowing: []) } == .algorithmNotAllowed)
    }

    @Test(arguments: [
        #"{"alg":"ES256","crit":["exp"]}"#, #"{"alg":"ES256","crit":[]}"#, #"{"alg":"ES256","crit":null}"#,
        #"{"alg":"ES256","\u0063rit":["b64"],"b64":false}"#, #"{"alg":"ES256","b64":false}"#,
        #"{"alg":"ES256","b64":true}"#,
    ])
    func `attack 78, crit and b64 are rejected`(header: String) async throws {
        let text = try await sign(header)
        #expect(errorCode { try CompactJWS(parsing: text) } == .invalidClaim)
    }

    @Test func `the longest token is as long as the limit`() async throws {
        let text = try await sign()
        #expect(errorCode { try CompactJWS(parsing: text, maximumLength: text.utf8.count) } == nil)
        #expect(errorCode { try CompactJWS(parsing: text, maximumLength: text.utf8.count - 1) } == .malformedToken)
        #expect(errorCode { try CompactJWS(parsing: String(repeating: "A", count: 100_000)) } == .malformedToken)
    }

    @Test func `attack 79, every flipped bit of the signature is noticed`() async throws {
        let text = try await sign()
        for bit in 0..<512 {
            let changed = try RawJWS.changingSignature(of: text) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            let jws = try CompactJWS(parsing: changed)
            #expect(errorCode { try jws.verify(with: key.publicKey, allowing: [.es256]) } == .invalidSignature)
        }
    }

    @Test func `attack 79, every changed character of header and payload is noticed`() async throws {
        let text = Array(try await sign().utf8)
        let signed = try #require(text.lastIndex(of: UInt8(ascii: ".")))
        for index in 0..<signed where text[index] != UInt8(ascii: ".") {
            var changed = text
            changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let code = errorCode {
                try CompactJWS(parsing: String(decoding: changed, as: UTF8.self))
                    .verify(with: key.publicKey, allowing: [.es256])
            }
            #expect(code != nil)
        }
    }

    @Test func `attack 79, signatures of other forms`() async throws {
        let order: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
            + [0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51]
        let zero = [UInt8](repeating: 0, count: 32)
        let text = try await sign()
        let forms: [(inout [UInt8]) -> Void] = [
            { $0 = [] }, { $0 = Array($0.dropLast()) }, { $0 = Array($0.dropFirst()) }, { $0 = Array($0.prefix(32)) },
            { $0 += [0] }, { $0 = [0] + $0 }, { $0 = $0 + $0 }, { $0 = zero + zero }, { $0 = zero + $0.suffix(32) },
            { $0 = $0.prefix(32) + zero }, { $0 = order + $0.suffix(32) }, { $0 = $0.prefix(32) + order },
            { $0 = [UInt8](repeating: 0xFF, count: 64) }, { $0 = $0.suffix(32) + $0.prefix(32) },
            // DER, which other libraries make of the same signature.
            { $0 = [0x30, 0x46, 0x02, 0x21, 0x00] + $0.prefix(32) + [0x02, 0x21, 0x00] + $0.suffix(32) },
        ]
        for change in forms {
            let jws = try CompactJWS(parsing: RawJWS.changingSignature(of: text, change))
            #expect(errorCode { try jws.verify(with: key.publicKey, allowing: [.es256]) } == .invalidSignature)
        }
    }

    @Test func `an error of the key becomes signingFailed and stays underneath`() async throws {
        let broken = BrokenKey(publicKey: key.publicKey)
        let error = await #expect(throws: JOSEError.self) {
            try await CompactJWS.sign(header: [:], payload: [], with: broken)
        }
        #expect(error?.code == .signingFailed)
        #expect(error?.underlying is BrokenKey.Broken)
    }
}

private struct BrokenKey: SigningKey {
    struct Broken: Error {}
    let publicKey: JWK
    let algorithm = SignatureAlgorithm.es256
    let protection = KeyProtection.memory
    func sign(_ message: [UInt8]) async throws -> [UInt8] { throw Broken() }
}
