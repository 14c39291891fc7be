// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import TestSupport
import Testing

/// The checks of a proof have tests of their own; these show that the guard makes them, and what it answers.
@Suite("Attacks on proofs at an API, RFC 9449 sections 4.3 and 7")
struct ProofAttackTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI()
    }

    /// Sends a request with a good token and another proof: refused, and the honest request still works.
    private func expectRefusal(
        as error: String = "invalid_dpop_proof",
        _ description: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ fields: (String) async throws -> [String]
    ) async throws {
        let token = try await api.accessToken()
        var request = api.request(token, nil)
        for value in try await fields(token) { request.fields.append(name: "DPoP", value: value) }
        try expect(await api.send(request), isChallengeWith: error, description, sourceLocation: sourceLocation)
        #expect(api.recordedProofs == 0, sourceLocation: sourceLocation)
        #expect(await api.send(try await api.honestRequest()).status == 200, sourceLocation: sourceLocation)
    }

    @Test func `a proof is needed`() async throws {
        try await expectRefusal { _ in [] }
        let second = try GuardedAPI()
        let token = try await second.accessToken()
        try expect(await second.send(second.request(token, "")), isChallengeWith: "invalid_dpop_proof")
    }

    @Test func `attacks 65 and 66, two_headers, two_proofs_comma_joined`() async throws {
        try await expectRefusal { [try await api.proof(for: $0), try await api.proof(for: $0)] }
        let other = try GuardedAPI()
        let token = try await other.accessToken()
        let proofs = [try await other.proof(for: token), try await other.proof(for: token)]
        let joined = await other.send(other.request(token, proofs.joined(separator: ", ")))
        try expect(joined, isChallengeWith: "invalid_dpop_proof")
    }

    @Test(arguments: ["JWT", "at+jwt", "xdpop+jwtx", "", nil, 1] as [JSONValue?])
    func `attack 69, typ of another kind`(type: JSONValue?) async throws {
        var header: JSONObject = [:]
        header["typ"] = type
        try await expectRefusal { [try await api.proof(for: $0, header: header)] }
    }

    @Test func `attack 74, jwk_private_ec`() async throws {
        var jwk = api.clientKey.publicKey.json
        jwk["d"] = .string(String(repeating: "A", count: 43))
        try await expectRefusal {
            [try await api.proof(for: $0, header: ["typ": "dpop+jwt", "jwk": .object(jwk)])]
        }
    }

    @Test func `attack 79, signature_flipped`() async throws {
        try await expectRefusal {
            [try RawJWS.changingSignature(of: try await api.proof(for: $0)) { $0[40] ^= 1 }]
        }
    }

    @Test(arguments: ["POST", "get", "", "HEAD"])
    func `attack 83, htm_wrong`(method: String) async throws {
        try await expectRefusal { [try await api.proof(method, for: $0)] }
    }

    @Test(arguments: [
        "https://api.example.com/other", "https://evil.example/notes", "http://api.example.com/notes",
        "https://api.example.com:8443/notes", "https://user@api.example.com/notes", "/notes",
        "https://api.example.com/notes/", "https://api.example.com/Notes", "https://api.example.com//notes",
        "https://api.example.com", "https://api.example.com/notes%2F", "https://api.example.com/notes%3Fx",
    ])
    func `attacks 84 and 85, htu_wrong`(htu: String) async throws {
        try await expectRefusal { [try await api.proof("GET", htu, for: $0)] }
    }

    @Test func `attack 86, htu_host_header_spoof`() async throws {
        let token = try await api.accessToken()
        var request = api.request(token, try await api.proof("GET", "https://evil.example/notes", for: token))
        for (name, value) in [
            ("Host", "evil.example"), ("X-Forwarded-Host", "evil.example"), ("Forwarded", "host=evil.example"),
            ("X-Original-URL", "https://evil.example/notes"),
        ] {
            request.fields.append(name: name, value: value)
        }
        try expect(await api.send(request), isChallengeWith: "invalid_dpop_proof")
    }

    @Test(arguments: [
        ".evil.example/notes", "@evil.example/notes", ":8443/notes", "", "*", "https://evil.example/notes",
    ])
    func `attack 86, a target that would become a part of the host`(target: String) async throws {
        let token = try await api.accessToken()
        let proof = try await api.proof("GET", "https://api.example.com" + target, for: token)
        let response = await api.send(api.request(token, proof, target: target))
        try expect(response, isChallengeWith: "invalid_dpop_proof")
    }

    @Test(arguments: [-301, 31] as [Int64])
    func `attack 88, iat_past, iat_future`(offset: Int64) async throws {
        let iat = api.clock.now().secondsSince1970 + offset
        try await expectRefusal { [try await api.proof(for: $0) { $0["iat"] = .number(JSONNumber(iat)) }] }
    }

    @Test func `attack 89, ath_missing, wrong, of_other_token, hex_encoded`() async throws {
        try await expectRefusal { [try await api.proof(for: $0) { $0["ath"] = nil }] }
        for value in ["", "x", String(repeating: "A", count: 43), String(repeating: "0", count: 64)] {
            let api = try GuardedAPI()
            let token = try await api.accessToken()
            let proof = try await api.proof(for: token) { $0["ath"] = .string(value) }
            try expect(await api.send(api.request(token, proof)), isChallengeWith: "invalid_dpop_proof")
        }
        let (first, second) = (try await api.accessToken(), try await api.accessToken { $0["jti"] = "token-2" })
        let swapped = api.request(second, try await api.proof(for: first))
        try expect(await api.send(swapped), isChallengeWith: "invalid_dpop_proof")
    }

    @Test func `attack 90, jti_replay_same_node`() async throws {
        let request = try await api.honestRequest()
        #expect(await api.send(request).status == 200)
        try expect(await api.send(request), isChallengeWith: "invalid_dpop_proof")
        #expect(api.recordedProofs == 1)
    }

    @Test func `attack 90, of 64 requests with one proof at the same time one is accepted`() async throws {
        let (api, request) = (api, try await api.honestRequest())
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { @concurrent in await api.send(request).status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 401 }.count == 63)
    }

    @Test func `attack 92, jti_replay_future_dated_after_retention`() async throws {
        let token = try await api.accessToken { $0["exp"] = .number(JSONNumber(1_790_003_600)) }
        let iat = api.clock.now().secondsSince1970 + 30
        let request = api.request(token, try await api.proof(for: token) { $0["iat"] = .number(JSONNumber(iat)) })
        #expect(await api.send(request).status == 200)
        for _ in 0..<40 {
            api.clock.advance(by: .seconds(10))
            try expect(await api.send(request), isChallengeWith: "invalid_dpop_proof")
        }
    }

    @Test func `attack 95, a refused request does not use its proof up`() async throws {
        let token = try await api.accessToken()
        let proof = try await api.proof(for: token)
        let other = try await api.accessToken { $0["aud"] = "https://other.example.com" }
        _ = await api.send(api.request(other, proof))
        _ = await api.send(api.request(token, proof, method: "POST"))
        _ = await api.send(api.request(token, proof, target: "/other"))
        _ = await api.send(api.request(token, proof, scheme: "Bearer"))
        #expect(api.recordedProofs == 0)
        #expect(await api.send(api.request(token, proof)).status == 200)
    }

    @Test func `attack 97, proof_signed_by_other_key_than_cnf`() async throws {
        try await expectRefusal(as: "invalid_token", "Invalid DPoP key binding") {
            [try await api.proof(for: $0, signedBy: try TestKey.p256(9))]
        }
    }

    @Test func `attack 97, the key of cnf in the header, another one that signs`() async throws {
        try await expectRefusal {
            let header: JSONObject = ["typ": "dpop+jwt", "jwk": .object(api.clientKey.publicKey.json)]
            return [try await api.proof(for: $0, header: header, signedBy: try TestKey.p256(9))]
        }
    }

    @Test func `attack 112, access_token_as_proof`() async throws {
        try await expectRefusal { [$0] }
    }

    @Test func `a full replay store is a 503, without a challenge`() async throws {
        let api = try GuardedAPI(replay: MemoryReplayStore(capacity: 1000, capacityPerKey: 1))
        #expect(await api.send(try await api.honestRequest()).status == 200)
        let response = await api.send(try await api.honestRequest())
        #expect(response.status == 503)
        #expect(response.fields["WWW-Authenticate"] == nil && response.fields["Retry-After"] != nil)
        expectPrivate(response)
    }

    @Test func `a replay store that fails is a 503, never acceptance`() async throws {
        struct Failing: ReplayStore {
            struct Broken: Error {}

            func insert(
                _ key: ReplayKey,
                until end: Timestamp,
                now: Timestamp,
                in epoch: ReplayEpoch?
            ) async throws -> ReplayInsertion {
                throw Broken()
            }
        }
        let api = try GuardedAPI(replay: Failing())
        #expect(await api.send(try await api.honestRequest()).status == 503)
    }
}

@Suite("Nonces of an API, RFC 9449 section 9")
struct ResourceServerNonceTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI(nonces: .required)
    }

    private func expectNonceDemanded(
        _ response: HTTPResponse,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        try expect(
            response,
            isChallengeWith: "use_dpop_nonce",
            "Resource server requires nonce in DPoP proof",
            sourceLocation: sourceLocation
        )
        #expect(response.fields.values(for: "DPoP-Nonce").count == 1, sourceLocation: sourceLocation)
        return try #require(response.fields["DPoP-Nonce"], sourceLocation: sourceLocation)
    }

    @Test func `a proof without one is told a nonce, and the next is good`() async throws {
        let token = try await api.accessToken()
        let nonce = try expectNonceDemanded(await api.send(api.request(token, try await api.proof(for: token))))
        #expect(api.recordedProofs == 0)
        let second = await api.send(api.request(token, try await api.proof(for: token, nonce: nonce)))
        #expect(second.status == 200)
        #expect(second.fields["DPoP-Nonce"] == nil && second.fields["Cache-Control"] == nil)
    }

    @Test func `a nonce past half its life is replaced with the answer, an old one refused`() async throws {
        let token = try await api.accessToken { $0["exp"] = .number(JSONNumber(1_790_003_600)) }
        let nonce = try expectNonceDemanded(await api.send(api.request(token, try await api.proof(for: token))))
        api.clock.advance(by: .seconds(181))
        let late = await api.send(api.request(token, try await api.proof(for: token, nonce: nonce)))
        #expect(late.status == 200)
        #expect(late.fields["DPoP-Nonce"] != nil && late.fields["DPoP-Nonce"] != nonce)
        #expect(late.fields["Cache-Control"] == "no-store")
        #expect(late.fields["Access-Control-Expose-Headers"]?.contains("DPoP-Nonce") == true)
        api.clock.advance(by: .seconds(181))
        let proof = try await api.proof(for: token, nonce: nonce)
        _ = try expectNonceDemanded(await api.send(api.request(token, proof)))
    }

    @Test func `attack 96, nonces that are forged, empty, of another secret or of an authorization server`()
        async throws
    {
        let now = api.clock.now()
        // The guard takes its secret from the same entropy.
        let same = DPoPNonceSecret(entropy: SeededEntropy())
        let foreign = DPoPNonceSecret(entropy: SeededEntropy(seed: 9))
        #expect(DPoPNonceIssuer(role: .resourceServer, secrets: [same]).nonce(at: now).utf8.count == 30)
        for nonce in [
            "x", String(repeating: "A", count: 30), String(repeating: "A", count: 64),
            DPoPNonceIssuer(role: .resourceServer, secrets: [foreign]).nonce(at: now),
            DPoPNonceIssuer(role: .authorizationServer, secrets: [same]).nonce(at: now),
        ] {
            let token = try await api.accessToken()
            let response = await api.send(api.request(token, try await api.proof(for: token, nonce: nonce)))
            _ = try expectNonceDemanded(response)
        }
    }

    @Test func `a nonce is told only to who has a token`() async throws {
        let token = try await api.accessToken(signedBy: try TestKey.p256(9))
        let response = await api.send(api.request(token, try await api.proof(for: token)))
        try expect(response, isChallengeWith: "invalid_token")
        #expect(response.fields["DPoP-Nonce"] == nil)
    }

    @Test func `without nonces, one in a proof is not looked at`() async throws {
        let api = try GuardedAPI()
        let token = try await api.accessToken()
        let response = await api.send(api.request(token, try await api.proof(for: token, nonce: "any")))
        #expect(response.status == 200 && response.fields["DPoP-Nonce"] == nil)
    }
}
