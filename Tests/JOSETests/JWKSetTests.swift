// SPDX-License-Identifier: Apache-2.0

import StrictJSON
import TestSupport
import Testing

@testable import JOSE

@Suite("RFC 7517 section 5: key sets")
struct JWKSetTests {
    @Test func `keys that are not understood, private or for other uses are left out`() throws {
        let key = try TestKey.p256().publicKey.named("a", algorithm: .es256)
        var (privateKey, encryption, broken) = (key.json, key.json, key.json)
        privateKey["d"] = "AAAA"
        encryption["use"] = "enc"
        broken["x"] = "AAAA"
        let keys: JSONValue = [
            ["kty": "RSA", "n": "AQAB", "e": "AQAB"], ["kty": "oct", "k": "AAAA"], .object(privateKey),
            .object(encryption), .object(broken), 1, .null, [], .object(key.json),
        ]
        #expect(try JWKSet(parsing: ["keys": keys]).keys == [key])
    }

    @Test func `what it writes it reads`() throws {
        let set = try JWKSet([TestKey.p256().publicKey.named("a", algorithm: .es256), TestKey.p256(2).publicKey])
        #expect(try JWKSet(parsing: set.json) == set)
    }

    @Test(
        arguments: [
            [:], ["keys": [:]], ["keys": .null], ["Keys": []], ["keys": .array(.init(repeating: 1, count: 101))],
        ] as [JSONObject]
    )
    func `refuses what is not a set of at most 100 keys`(object: JSONObject) {
        #expect(errorCode { try JWKSet(parsing: object) } == .malformedKey)
    }

    @Test func `an empty set is a set`() throws {
        #expect(try JWKSet(parsing: ["keys": []]).keys.isEmpty)
    }

    @Test func `keys of every type stand beside each other; symmetric ones and those not for verifying are left out`()
        throws
    {
        var signing = try TestKey.p256().publicKey.json
        signing["key_ops"] = ["sign"]
        let keys =
            PeerVector.accepted.map { JSONValue.object($0.jwk) } + [
                ["kty": "oct", "k": "AAAA", "alg": "HS256", "kid": "a"], .object(signing),
            ]
        let set = try JWKSet(parsing: ["keys": .array(keys)])
        #expect(set.keys.map(\.json) == PeerVector.accepted.map(\.jwk))
        for vector in PeerVector.accepted {
            let algorithm = SignatureAlgorithm(rawValue: vector.description)
            #expect(set.candidates(keyID: nil, algorithm: algorithm).allSatisfy { $0.fits(algorithm) })
            #expect(!set.candidates(keyID: nil, algorithm: algorithm).isEmpty)
        }
        #expect(set.candidates(keyID: nil, algorithm: SignatureAlgorithm(rawValue: "HS256")).isEmpty)
        #expect(set.candidates(keyID: "a", algorithm: .es256).isEmpty)
    }

    @Test func `of keys with the same kid each that fits is tried, and no other`() throws {
        let keys = try [1, 2].map { try TestKey.p256($0).publicKey.named("a", algorithm: nil) }
        let other = try JWK(parsing: #require(PeerVector.accepted.last).jwk).named("a", algorithm: nil)
        let set = try JWKSet(parsing: JWKSet([other] + keys + [keys[0].named("b", algorithm: nil)]).json)
        #expect(set.candidates(keyID: "a", algorithm: .es256) == keys)
        #expect(set.candidates(keyID: "a", algorithm: .ps512) == [other])
        #expect(set.candidates(keyID: "a", algorithm: .es384).isEmpty)
        #expect(set.candidates(keyID: "c", algorithm: .es256).isEmpty)
    }
}
