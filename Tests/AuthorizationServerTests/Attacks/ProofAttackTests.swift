// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import ServerStage
import StrictJSON
import TestSupport
import Testing

/// The checks of a proof have their own tests.
///
/// These show that the endpoints run them, and consume nothing before.
@Suite("Attacks on proofs at the endpoints of the authorization server, RFC 9449 section 5", .overSocketsOnEveryStore)
struct ProofAttackTests {
    /// Sends requests with one proof each to the token and the pushed authorization endpoint, which reject them.
    ///
    /// The code, the refresh token and the pushed request still work afterwards.
    private func expectRefusal(
        as error: String = "invalid_dpop_proof",
        sourceLocation: SourceLocation = #_sourceLocation,
        _ fields: (FakeClient, String) async throws -> HTTPFields
    ) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let refreshToken = try await client.signIn().string("refresh_token")
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        for (path, parameters) in [
            ("/token", client.exchange(code, attempt)), ("/token", client.refreshing(refreshToken)),
            ("/par", client.attempt().parameters),
        ] {
            let response = await server.post(path, parameters, fields: try await fields(client, path))
            expect(response, isError: error, sourceLocation: sourceLocation)
            #expect(response.fields["WWW-Authenticate"] == nil, sourceLocation: sourceLocation)
        }
        try await expectStillWorks(code, of: client, attempt, sourceLocation: sourceLocation)
        #expect(try await client.refresh(refreshToken).status == 200, sourceLocation: sourceLocation)
    }

    @Test func `attack 65, two_headers`() async throws {
        try await expectRefusal { client, path in
            var fields = HTTPFields()
            for _ in 0..<2 { fields.append(name: "DPoP", value: try await client.proof(for: path) ?? "") }
            return fields
        }
    }

    @Test func `attack 66, two_proofs_comma_joined`() async throws {
        try await expectRefusal { client, path in
            let proofs = [try await client.proof(for: path) ?? "", try await client.proof(for: path) ?? ""]
            return ["DPoP": proofs.joined(separator: ", ")]
        }
    }

    @Test(arguments: ["", " ", ",", "x"])
    func `attack 67, two_headers_never_become_bearer, nor does an empty one`(value: String) async throws {
        let loose = try ServerUnderTest.client(
            "loose",
            redirectURIs: ["https://app.example.com/callback"],
            isBound: false
        )
        let server = try await ServerUnderTest.inMemory(clients: [loose]) { $0.requireDPoP = false }
        let client = FakeClient(server, clientID: "loose", key: nil)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        var fields: HTTPFields = ["DPoP": value]
        expect(
            await server.post("/token", client.exchange(code, attempt), fields: fields),
            isError: "invalid_dpop_proof"
        )
        fields.append(name: "dpop", value: value)
        expect(
            await server.post("/token", client.exchange(code, attempt), fields: fields),
            isError: "invalid_dpop_proof"
        )
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 83, htm_wrong`() async throws {
        try await expectRefusal { client, path in
            ["DPoP": try await client.proof(for: path) { $0["htm"] = "GET" } ?? ""]
        }
    }

    @Test(arguments: ["/par2", "/token/", "", "?x"])
    func `attack 84, htu_wrong`(suffix: String) async throws {
        try await expectRefusal { client, path in
            let htu = "https://auth.example.com" + (path == "/token" ? "/par" : "/token") + suffix
            return ["DPoP": try await client.proof(for: path) { $0["htu"] = .string(htu) } ?? ""]
        }
    }

    @Test func `attack 86, htu_host_header_spoof`() async throws {
        try await expectRefusal { client, path in
            let proof = try await client.proof(for: path) { $0["htu"] = .string("https://evil.example" + path) }
            return [
                "DPoP": proof ?? "", "Host": "evil.example", "X-Forwarded-Host": "evil.example",
                "Forwarded": "host=evil.example",
            ]
        }
    }

    @Test func `attack 90, jti_replay_same_node`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let refreshToken = try await client.signIn().string("refresh_token")
        let proof = try await client.proof(for: "/token") ?? ""
        let first = await server.post("/token", client.refreshing(refreshToken), fields: ["DPoP": proof])
        #expect(first.status == 200)
        let second = client.refreshing(try first.string("refresh_token"))
        expect(await server.post("/token", second, fields: ["DPoP": proof]), isError: "invalid_dpop_proof")
        #expect(try await client.refresh(try first.string("refresh_token")).status == 200)
    }

    @Test func `attack 93, jti_preburn_by_other_key_does_not_block_victim`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, attacker) = (try FakeClient(server), try FakeClient.other(server))
        let victimToken = try await client.signIn().string("refresh_token")
        let attackerToken = try await attacker.signIn().string("refresh_token")
        for (one, token) in [(attacker, attackerToken), (client, victimToken)] {
            let proof = try await one.proof(for: "/token") { $0["jti"] = "the-same" } ?? ""
            #expect(await server.post("/token", one.refreshing(token), fields: ["DPoP": proof]).status == 200)
        }
    }

    @Test func `attack 95, failed_proof_does_not_consume_jti_code_or_refresh`() async throws {
        let replay = MemoryReplayStore()
        let server = try await ServerUnderTest.inMemory(replay: replay)
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let recorded = replay.count
        let proof = try await client.proof(for: "/token") ?? ""
        for wrong in [
            client.exchange(code, attempt).with("code_verifier", String(repeating: "a", count: 43)),
            client.exchange("kbc_unknown", attempt), client.exchange(code, attempt).with("redirect_uri", "https://x/"),
            client.exchange(code, attempt).with("client_id", "other"), client.refreshing("kbr_unknown"),
        ] {
            let response = await server.post("/token", wrong, fields: ["DPoP": proof])
            expect(response, isError: "invalid_grant")
        }
        // None of them consumed the proof.
        #expect(replay.count == recorded)
        #expect(await server.post("/token", client.exchange(code, attempt), fields: ["DPoP": proof]).status == 200)
        #expect(replay.count == recorded + 1)
    }

    @Test func `attack 96, nonce_missing`() async throws {
        try await expectRefusal(as: "use_dpop_nonce") { client, path in
            ["DPoP": try await client.proof(for: path) { $0["nonce"] = nil } ?? ""]
        }
    }

    @Test(arguments: ["x", "", String(repeating: "A", count: 30), String(repeating: "A", count: 4000)])
    func `attack 96, nonce forged`(nonce: String) async throws {
        try await expectRefusal(as: "use_dpop_nonce") { client, path in
            ["DPoP": try await client.proof(for: path) { $0["nonce"] = .string(nonce) } ?? ""]
        }
    }

    @Test func `attack 96, a nonce of an API with the same secret`() async throws {
        let secret = DPoPNonceSecret(entropy: SeededEntropy())
        let resourceNonce = DPoPNonceIssuer(role: .resourceServer, secrets: [secret])
        try await expectRefusal(as: "use_dpop_nonce") { client, path in
            let nonce = resourceNonce.nonce(at: client.server.clock.now())
            return ["DPoP": try await client.proof(for: path) { $0["nonce"] = .string(nonce) } ?? ""]
        }
    }

    @Test func `attack 97, a proof that another key signed`() async throws {
        try await expectRefusal { client, path in
            let genuine = try CompactJWS(parsing: try await client.proof(for: path) ?? "")
            let forged = try await CompactJWS.sign(
                header: genuine.header,
                payload: genuine.payload,
                with: try TestKey.p256(9)
            )
            return ["DPoP": forged]
        }
    }

    @Test func `attack 112, access_token_as_proof`() async throws {
        try await expectRefusal { client, _ in
            ["DPoP": try await client.signIn().string("access_token")]
        }
    }

    @Test func `attack 113, client_assertion_used_as_proof`() async throws {
        try await expectRefusal { client, path in
            let genuine = try CompactJWS(parsing: try await client.proof(for: path) ?? "")
            var header = genuine.header
            header["typ"] = "JWT"
            let key = try #require(client.key)
            return ["DPoP": try await CompactJWS.sign(header: header, payload: genuine.payload, with: key)]
        }
    }

    @Test func `a full replay store is a 503 that consumes nothing, and pushed requests do not fill it`() async throws {
        let server = try await ServerUnderTest.inMemory(
            replay: MemoryReplayStore(capacity: 1_000_000, capacityPerKey: 1)
        )
        let client = try FakeClient(server)
        for _ in 0..<3 {
            #expect(try await client.post("/par", client.attempt().parameters).status == 201)
        }
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let refreshToken = try await client.redeem(code, attempt).string("refresh_token")
        let refused = try await client.refresh(refreshToken)
        expect(refused, isError: "server_error", status: 503)
        #expect(refused.fields["Retry-After"] != nil)
        #expect(!server.reports.all.isEmpty)
        server.clock.advance(by: .seconds(3600))
        client.nonce = nil
        #expect(try await client.refresh(refreshToken).status == 200)
    }
}

@Suite("Nonces of the authorization server, RFC 9449 section 8", .overSocketsOnEveryStore)
struct AuthorizationServerNonceTests {
    @Test func `the first proof without a nonce is answered with one, and the second is good`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let first = try await client.postOnce("/par", client.attempt().parameters)
        expect(first, isError: "use_dpop_nonce")
        #expect(first.fields.values(for: "DPoP-Nonce").count == 1)
        let second = try await client.postOnce("/par", client.attempt().parameters)
        #expect(second.status == 201)
        // Section 8.2: a new nonce only when the current one is about to expire.
        #expect(second.fields["DPoP-Nonce"] == nil)
    }

    @Test func `a nonce past half its life is replaced, an old one refused`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        try await client.fetchNonce()
        let nonce = try #require(client.nonce)
        server.clock.advance(by: .seconds(181))
        let late = try await client.postOnce("/par", client.attempt().parameters)
        #expect(late.status == 201)
        #expect(late.fields["DPoP-Nonce"] != nil && late.fields["DPoP-Nonce"] != nonce)

        client.nonce = nonce
        server.clock.advance(by: .seconds(181))
        let tooLate = try await client.postOnce("/par", client.attempt().parameters)
        expect(tooLate, isError: "use_dpop_nonce")
        #expect(tooLate.fields["DPoP-Nonce"] != nil)
    }

    @Test func `with a nonce, the clock of the client does not matter`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        try await client.fetchNonce()
        let proof = try await client.proof(for: "/par") { $0["iat"] = 1_000_000_000 } ?? ""
        #expect(await server.post("/par", client.attempt().parameters, fields: ["DPoP": proof]).status == 201)
    }

    @Test func `without nonces nothing is said of them`() async throws {
        let server = try await ServerUnderTest.inMemory { $0.noncePolicy = .off }
        let client = try FakeClient(server)
        #expect(try await client.signIn().fields["DPoP-Nonce"] == nil)
        let stale = server.clock.now().secondsSince1970 - 301
        let proof = try await client.proof(for: "/par") { $0["iat"] = .number(JSONNumber(stale)) } ?? ""
        let response = await server.post("/par", client.attempt().parameters, fields: ["DPoP": proof])
        expect(response, isError: "invalid_dpop_proof")
        #expect(response.fields["DPoP-Nonce"] == nil)
    }

    @Test func `on skew, only a clock that is wrong is told a nonce`() async throws {
        let server = try await ServerUnderTest.inMemory { $0.noncePolicy = .onSkew }
        // Just after its start, a server that keeps replay keys in memory requires nonces from every client.
        server.clock.advance(by: .seconds(60))
        let client = try FakeClient(server)
        #expect(try await client.signIn().fields["DPoP-Nonce"] == nil)
        let stale = server.clock.now().secondsSince1970 - 100_000
        let refused = await server.post(
            "/par",
            client.attempt().parameters,
            fields: ["DPoP": try await client.proof(for: "/par") { $0["iat"] = .number(JSONNumber(stale)) } ?? ""]
        )
        expect(refused, isError: "use_dpop_nonce")
        client.nonce = refused.fields["DPoP-Nonce"]
        let proof = try await client.proof(for: "/par") { $0["iat"] = .number(JSONNumber(stale)) } ?? ""
        #expect(await server.post("/par", client.attempt().parameters, fields: ["DPoP": proof]).status == 201)
    }
}
