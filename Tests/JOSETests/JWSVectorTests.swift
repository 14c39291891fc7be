// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7515 appendix A and RFC 8037 appendix A: the examples")
struct JWSVectorTests {
    private static let vectors = RFCVector.all("jws")

    private static func publicKey(of vector: RFCVector) throws -> JSONObject {
        var object = try vector.object("jwk")
        for name in ["d", "p", "q", "dp", "dq", "qi"] { object[name] = nil }
        return object
    }

    @Test func `the examples are those of HS256, RS256, ES256, ES512 and EdDSA`() throws {
        #expect(try Self.vectors.map { try $0.string("alg") } == ["HS256", "RS256", "ES256", "ES512", "EdDSA"])
    }

    @Test(arguments: vectors)
    func `header and payload are read as published`(vector: RFCVector) throws {
        let jws = try CompactJWS(parsing: vector.string("jws"))
        #expect(try jws.algorithm.rawValue == vector.string("alg"))
        #expect(try jws.payload == Array(vector.string("payload_text").utf8))
        let header = try JSONValue(parsing: Array(vector.string("header_text").utf8))
        #expect(header == .object(jws.header))
    }

    @Test(arguments: vectors)
    func `trap 25: the signature of published bytes verifies, and no changed one does`(vector: RFCVector) throws {
        let object = try Self.publicKey(of: vector)
        let text = try vector.string("jws")
        let changed = try CompactJWS(parsing: RawJWS.changingSignature(of: text) { $0[20] ^= 1 })
        let jws = try CompactJWS(parsing: text)
        if object["kty"] == "oct" {
            let secret = try Base64URL.decode(#require(object["k"]?.stringValue))
            let key = try ClientSecretKey(secret: secret, algorithm: .hs256)
            try key.verify(jws)
            #expect(errorCode { try key.verify(changed) } == .invalidSignature)
            #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
        } else {
            let key = try JWK(parsing: object)
            try jws.verify(with: key, allowing: [jws.algorithm])
            #expect(errorCode { try changed.verify(with: key, allowing: [jws.algorithm]) } == .invalidSignature)
            #expect(key.json == object.sorted)
        }
    }

    @Test(arguments: vectors)
    func `a published key with its private members is rejected`(vector: RFCVector) throws {
        let object = try vector.object("jwk")
        #expect(errorCode { try JWK(parsing: object) } == .malformedKey)
    }

    @Test(arguments: ["ES256", "ES512", "EdDSA"])
    func `a published private key is that of its public key, and signs what verifies`(name: String) async throws {
        let vector = try #require(try Self.vectors.first { try $0.string("alg") == name })
        let bytes = try Base64URL.decode(#require(vector.object("jwk")["d"]?.stringValue))
        let algorithm = SignatureAlgorithm(rawValue: name)
        let key = try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: algorithm, protection: .memory)
        #expect(try key.publicKey == JWK(parsing: Self.publicKey(of: vector)))
        let payload = Array(try vector.string("payload_text").utf8)
        let text = try await CompactJWS.sign(header: [:], payload: payload, with: key)
        let published = try vector.string("jws")
        #expect(text.hasPrefix(published.split(separator: ".").prefix(2).joined(separator: ".") + "."))
        #expect((text == published) == (name == "EdDSA"))
        try CompactJWS(parsing: text).verify(with: key.publicKey, allowing: [algorithm])
    }

    @Test func `the access token of RFC 9449 figure 8 is not signed by the key of the client`() throws {
        let vector = try #require(RFCVector.all("access-token-jwt").first)
        let proof = try #require(RFCVector.all("dpop-proof").first)
        let jws = try CompactJWS(parsing: vector.string("jwt"))
        #expect(try jws.payloadObject() == vector.object("claims"))
        #expect(try jws.header == vector.object("header"))
        let key = try JWK(parsing: #require(proof.object("header")["jwk"]?.objectValue))
        #expect(errorCode { try jws.verify(with: key, allowing: [.es256]) } == .invalidSignature)
    }

    @Test(arguments: RFCVector.all("jwk"))
    func `of the keys of RFC 8037 A 1 and A 2 the public one is read`(vector: RFCVector) throws {
        let (key, publicKey) = (try vector.object("jwk"), try vector.object("public_jwk"))
        #expect(errorCode { try JWK(parsing: key) } == .malformedKey)
        #expect(try JWK(parsing: publicKey).json == publicKey.sorted)
    }
}

extension JSONObject {
    /// The members in the order of their names, as ``JWK`` writes them.
    fileprivate var sorted: JSONObject {
        var object: JSONObject = [:]
        for member in members.sorted(by: { $0.name < $1.name }) { object[member.name] = member.value }
        return object
    }
}
