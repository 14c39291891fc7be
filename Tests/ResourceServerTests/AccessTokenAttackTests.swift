// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks with access tokens, RFC 9068 section 4")
struct AccessTokenAttackTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI()
    }

    @Test func `attack 105, unbound_token_with_dpop_scheme`() async throws {
        for confirmation in [nil, [:], "x", ["jkt": 1], ["jkt": "short"], ["jkt": ""], ["jkt": .null]] as [JSONValue?] {
            let token = try await api.accessToken { $0["cnf"] = confirmation }
            let response = await api.send(api.request(token, try await api.proof(for: token)))
            try expect(response, isChallengeWith: "invalid_token", "The access token is not bound to a key")
        }
        #expect(api.recordedProofs == 0)
    }

    @Test(
        arguments: [
            "https://other.example.com", "https://api.example.com/", "https://API.example.com", "", "api",
            ["https://other.example.com"], [], 1, nil, [1, "https://api.example.com"], ["https://api.example.com/"],
        ] as [JSONValue?]
    )
    func `attack 107, at_wrong_aud`(audience: JSONValue?) async throws {
        try await api.expectRefusal(of: try await api.accessToken { $0["aud"] = audience })
    }

    @Test(
        arguments: [
            "https://evil.example", "https://auth.example.com/", "https://AUTH.example.com", "", nil, 1,
            ["https://auth.example.com"],
        ] as [JSONValue?]
    )
    func `attack 108, at_wrong_iss`(issuer: JSONValue?) async throws {
        try await api.expectRefusal(of: try await api.accessToken { $0["iss"] = issuer })
    }

    @Test(arguments: ["JWT", "jwt", "dpop+jwt", "at+jwtx", "xat+jwt", "", nil, 1, "at"] as [JSONValue?])
    func `attack 108, at_id_token_swapped`(type: JSONValue?) async throws {
        var header: JSONObject = ["kid": "key-1"]
        header["typ"] = type
        try await api.expectRefusal(of: try await api.accessToken(header: header))
    }

    @Test(arguments: ["none", "None", "NONE", "HS256", "RS256", "ES384", "es256", ""])
    func `attack 109, at_alg_none, HS256_with_rsa_pub`(algorithm: String) async throws {
        let header: JSONObject = ["typ": "at+jwt", "kid": "key-1", "alg": .string(algorithm)]
        let parts = (JSONValue.object(header).encoded(), JSONValue.object(api.tokenClaims()).encoded())
        let signed = try await RawJWS.sign(header: parts.0, payload: parts.1, with: api.issuerKey)
        try await api.expectRefusal(of: signed)
        let unsigned = signed.split(separator: ".").dropLast().joined(separator: ".") + "."
        try await api.expectRefusal(of: unsigned)
    }

    @Test func `attack 109, a token that somebody else signed`() async throws {
        try await api.expectRefusal(of: try await api.accessToken(signedBy: try TestKey.p256(9)))
        // The key of the client, in the header, is not the issuer's.
        let header: JSONObject = ["typ": "at+jwt", "jwk": .object(api.clientKey.publicKey.json)]
        try await api.expectRefusal(of: try await api.accessToken(header: header, signedBy: api.clientKey))
    }

    @Test func `attack 109, a token that was changed`() async throws {
        let token = try await api.accessToken()
        try await api.expectRefusal(of: try RawJWS.changingSignature(of: token) { $0[0] ^= 1 })
        try await api.expectRefusal(
            of: try RawJWS.changingSignature(of: token) { $0 = [UInt8](repeating: 0, count: 64) }
        )
        try await api.expectRefusal(of: try RawJWS.changingSignature(of: token) { $0.removeLast() })
        let parts = token.split(separator: ".").map(String.init)
        let claims = Base64URL.encode(JSONValue.object(api.tokenClaims { $0["sub"] = "eve" }).encoded())
        try await api.expectRefusal(of: [parts[0], claims, parts[2]].joined(separator: "."))
    }

    @Test func `attack 110, at_expired`() async throws {
        let now = api.clock.now().secondsSince1970
        for (expiry, isAccepted) in [(now - 9, true), (now - 10, false), (now - 300, false)] {
            let token = try await api.accessToken { $0["exp"] = .number(JSONNumber(expiry)) }
            if isAccepted {
                #expect(await api.send(api.request(token, try await api.proof(for: token))).status == 200)
            } else {
                let response = await api.send(api.request(token, try await api.proof(for: token)))
                try expect(response, isChallengeWith: "invalid_token")
            }
        }
    }

    @Test func `attack 110, at_nbf, and claims that are missing or of another type`() async throws {
        let later = JSONValue.number(JSONNumber(api.clock.now().secondsSince1970 + 11))
        try await api.expectRefusal(of: try await api.accessToken { $0["nbf"] = later })
        try await api.expectRefusal(of: try await api.accessToken { $0["iat"] = later })
        let texts = ["sub", "client_id", "jti"]
        for name in ["exp", "iat"] + texts {
            for value in [nil, "1790000000", true, []] as [JSONValue?] {
                if texts.contains(name) && value?.stringValue != nil { continue }
                try await api.expectRefusal(of: try await api.accessToken { $0[name] = value })
            }
        }
    }

    @Test func `attack 112, proof_jwt_used_as_access_token`() async throws {
        let token = try await api.accessToken()
        try await api.expectRefusal(of: try await api.proof(for: token))
        // Even when the issuer itself signed something that looks like a proof.
        try await api.expectRefusal(
            of: try await api.proof(for: token, signedBy: api.issuerKey) { claims in
                for member in api.tokenClaims().members { claims[member.name] = member.value }
            }
        )
    }

    @Test func `attack 114, cnf_present_but_unknown_method`() async throws {
        let token = try await api.accessToken { $0["cnf"] = ["x5t#S256": .string(String(repeating: "A", count: 43))] }
        let response = await api.send(api.request(token, try await api.proof(for: token)))
        try expect(response, isChallengeWith: "invalid_token", "The access token is not bound to a key")
    }

    @Test(arguments: ["a.b", "a.b.c", "a.b.c.d.e", "eyJhbGciOiJFUzI1NiJ9..", "x"])
    func `what is no JWT`(token: String) async throws {
        try await api.expectRefusal(of: token)
    }

    @Test func `a header that demands an extension, or names a key twice`() async throws {
        try await api.expectRefusal(
            of: try await api.accessToken(header: ["typ": "at+jwt", "kid": "key-1", "crit": ["x"], "x": 1])
        )
        let payload = JSONValue.object(api.tokenClaims()).encoded()
        let twice = Array(#"{"typ":"at+jwt","alg":"none","alg":"ES256","kid":"key-1"}"#.utf8)
        try await api.expectRefusal(of: try await RawJWS.sign(header: twice, payload: payload, with: api.issuerKey))
    }

    @Test func `a kid that the issuer does not have`() async throws {
        try await api.expectRefusal(of: try await api.accessToken(header: ["typ": "at+jwt", "kid": "key-2"]))
        try await api.expectRefusal(of: try await api.accessToken(header: ["typ": "at+jwt", "kid": 1]))
        // A token without one is checked with every key.
        let token = try await api.accessToken(header: ["typ": "at+jwt"])
        #expect(await api.send(api.request(token, try await api.proof(for: token))).status == 200)
    }
}
