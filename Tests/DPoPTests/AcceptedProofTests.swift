// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ProofSuite
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 section 4.3: proofs that must be accepted")
struct AcceptedProofTests {
    private let scenario: Scenario

    init() throws {
        scenario = try Scenario()
    }

    private func accept(_ change: (inout ProofBuilder) -> Void) async throws {
        var proof = scenario.proof()
        change(&proof)
        let accepted = try scenario.accept(try await proof.signed())
        #expect(accepted.thumbprint == scenario.key.publicKey.thumbprint)
        #expect(accepted.header == proof.header)
        #expect(accepted.payload == proof.claims)
    }

    @Test(arguments: [
        "https://api.example.com/me", "https://api.example.com/me?a=b", "https://api.example.com/me#part",
        "https://api.example.com/me?a=b#part", "https://api.example.com/me?", "https://api.example.com:443/me",
        "https://api.example.com:/me", "https://API.Example.COM/me", "HTTPS://api.example.com/me",
        "https://api.example.com/%6De",
        "https://api.example.com/%6d%65", "https://api.example.com/a/../me", "https://api.example.com/./me",
        "https://api.example.com/%2E/me", "https://api.example.com/a/%2e%2e/me", "https://api%2Eexample.com/me",
        "https://api.example.com/../me", "hTtPs://aPi.ExAmPlE.cOm:0443/me?x=//#y",
    ])
    func `htu in another spelling of the same URI`(htu: String) async throws {
        try await accept { $0.claims["htu"] = .string(htu) }
    }

    private func key(of name: String) throws -> SoftwareSigningKey {
        let vector = try #require(PeerVector.accepted.first { $0.description == name })
        return try SoftwareSigningKey(
            privateKeyBytes: vector.privateKey,
            algorithm: SignatureAlgorithm(rawValue: name),
            protection: .memory
        )
    }

    @Test(arguments: PeerVector.accepted.map(\.description))
    func `server-checks 2_4, ES256, EdDSA and Ed25519 unless set, any other algorithm when it is allowed`(
        name: String
    ) async throws {
        var scenario = scenario
        let key = try key(of: name)
        var proof = ProofBuilder(key: key, method: "GET", uri: Scenario.uri, at: scenario.now)
        proof.claims["ath"] = .string(Scenario.accessTokenHash)
        scenario.expectation.thumbprint = key.publicKey.thumbprint
        let text = try await proof.signed()
        if ["ES256", "EdDSA", "Ed25519"].contains(name) {
            try scenario.accept(text)
        } else {
            #expect(failure { try scenario.check([text]) }?.step == .algorithm)
        }
        scenario.policy.algorithms = [key.algorithm]
        try scenario.accept(text)
        let others: Set<SignatureAlgorithm> = [.es256, .es384, .edDSA, .ed25519, .ps256]
        scenario.policy.algorithms = others.subtracting([key.algorithm])
        #expect(failure { try scenario.check([text]) }?.step == .algorithm)
    }

    @Test(arguments: ["dpop+jwt", "DPoP+JWT", "application/dpop+jwt", "Application/DPOP+jwt"])
    func `typ in every spelling of the media type`(typ: String) async throws {
        try await accept { $0.header["typ"] = .string(typ) }
    }

    @Test func `header and claims that nobody knows`() async throws {
        try await accept {
            $0.header["kid"] = "one"
            $0.header["x5u"] = "https://client.example/"
            $0.header["vendor"] = ["a": [1, .null]]
            $0.claims["iss"] = "client"
            $0.claims["aud"] = ["https://api.example.com"]
            $0.claims["vendor"] = .null
        }
    }

    @Test func `a key with a name, a use and its algorithm`() async throws {
        try await accept {
            var key = $0.signer.publicKey.named("one", algorithm: .es256).json
            key["key_ops"] = ["verify"]
            key["ext"] = true
            $0.header["jwk"] = .object(key)
        }
    }

    @Test(arguments: [-300, -10, -1, 0, 1, 10, 30])
    func `attack 88 turned round, iat inside the window`(seconds: Int64) async throws {
        try await accept { $0.claims["iat"] = .number(JSONNumber(scenario.now.secondsSince1970 + seconds)) }
    }

    @Test func `iat as a number with a fraction`() async throws {
        let payload =
            #"{"jti":"a","htm":"GET","htu":"https://api.example.com/me","iat":1789999999.75,"ath":"\#(Scenario.accessTokenHash)"}"#
        let proof = scenario.proof()
        let header = JSONValue.object(proof.header).encoded()
        let text = try await RawJWS.sign(header: header, payload: Array(payload.utf8), with: proof.signer)
        #expect(try scenario.accept(text).claims.issuedAt == Timestamp(secondsSince1970: 1_789_999_999))
    }

    @Test func `exp and nbf that hold, with the skew of the policy`() async throws {
        let now = scenario.now.secondsSince1970
        try await accept {
            $0.claims["exp"] = .number(JSONNumber(now + 1))
            $0.claims["nbf"] = .number(JSONNumber(now - 1))
        }
        try await accept { $0.claims["exp"] = .number(JSONNumber(now - 29)) }
        try await accept { $0.claims["nbf"] = .number(JSONNumber(now + 30)) }
    }

    @Test(arguments: ["a", String(repeating: "a", count: 256), "\u{0}", "😀", " "])
    func `jti of 1 to 256 bytes`(jti: String) async throws {
        try await accept { $0.claims["jti"] = .string(jti) }
    }

    @Test func `at an authorization server ath means nothing`() async throws {
        var scenario = scenario
        scenario.expectation.accessToken = nil
        for ath: JSONValue? in [nil, "whatever", .string(Scenario.accessTokenHash)] {
            var proof = scenario.proof()
            proof.claims["ath"] = ath
            try scenario.accept(try await proof.signed())
        }
    }

    @Test func `a nonce is not looked at when nonces are off`() async throws {
        try await accept { $0.claims["nonce"] = "of yesterday" }
    }

    @Test func `with nothing bound any key may come`() async throws {
        var scenario = scenario
        scenario.expectation.thumbprint = nil
        var proof = ProofBuilder(key: try TestKey.p256(2), method: "GET", uri: Scenario.uri, at: scenario.now)
        proof.claims["ath"] = .string(Scenario.accessTokenHash)
        let accepted = try scenario.accept(try await proof.signed())
        #expect(accepted.thumbprint == (try TestKey.p256(2).publicKey.thumbprint))
    }

    @Test func `a method is compared as it is written`() async throws {
        var scenario = scenario
        scenario.expectation.method = "get"
        var proof = scenario.proof()
        let upper = try await proof.signed()
        #expect(failure { try scenario.check([upper]) }?.step == .method)
        proof.claims["htm"] = "get"
        try scenario.accept(try await proof.signed())
    }

    @Test func `a proof as long as the limit`() async throws {
        var scenario = scenario
        let text = try await scenario.proof().signed()
        scenario.policy.maximumLength = text.utf8.count
        try scenario.accept(text)
        scenario.policy.maximumLength -= 1
        #expect(failure { try scenario.check([text]) }?.step == .wellFormed)
    }
}
