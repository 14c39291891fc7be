// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks on authorization codes, RFC 6749 section 4.1", .overSocketsOnEveryStore)
struct CodeAttackTests {
    @Test func `attack 15, code_replay_rejected_and_family_revoked`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let tokens = try await client.redeem(code, attempt)

        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
        expect(try await client.refresh(try tokens.string("refresh_token")), isError: "invalid_grant")
        #expect(server.reports.all.count == 1)
        #expect(!server.reports.all[0].contains(code))
    }

    @Test func `attack 15, a replay after the end of the code revokes the family too`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let tokens = try await client.redeem(code, attempt)
        let refreshed = try await client.refresh(try tokens.string("refresh_token"))

        server.clock.advance(by: .seconds(3600))
        client.nonce = nil
        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
        expect(try await client.refresh(try refreshed.string("refresh_token")), isError: "invalid_grant")
    }

    @Test func `attack 15, a replay without the verifier revokes nothing`() async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let tokens = try await client.redeem(code, attempt)
        let guess = client.exchange(code, attempt).with("code_verifier", String(repeating: "a", count: 43))
        expect(try await client.post("/token", guess), isError: "invalid_grant")
        #expect(try await client.refresh(try tokens.string("refresh_token")).status == 200)
    }

    @Test func `attack 16, code_concurrent_exchange_one_winner`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        try await client.fetchNonce()
        let responses = try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<64 {
                group.addTask { @concurrent in try await client.redeem(code, attempt) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let winners = responses.filter { $0.status == 200 }
        #expect(winners.count == 1)
        #expect(responses.filter { $0.error == "invalid_grant" }.count == 63)
        // attack 17, tokens_from_lost_race_revoked: a race is a replay.
        let refreshToken = try #require(winners.first).string("refresh_token")
        expect(try await client.refresh(refreshToken), isError: "invalid_grant")
    }

    @Test func `attack 17, tokens_from_lost_race_revoked`() async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        try await client.fetchNonce()
        async let first = client.redeem(code, attempt)
        async let second = client.redeem(code, attempt)
        let winners = try await [first, second].filter { $0.status == 200 }
        try #require(winners.count == 1)
        expect(try await client.refresh(try winners[0].string("refresh_token")), isError: "invalid_grant")
    }

    @Test func `attack 17, of a code that was used twice no token works anywhere`() async throws {
        let openID = OpenIDServer(
            try await ServerUnderTest.inMemory(
                clients: try OpenIDServer.clients() + [
                    try ConfidentialClient.registration("api", .clientSecretBasic) {
                        $0.grantTypes = []
                        $0.introspectionAudiences = [ServerUnderTest.audience]
                    }
                ],
                idTokenKey: try TestKey.rsa()
            ) { $0.scopes += [ScopeDescription(name: "openid"), ScopeDescription(name: "profile")] }
        )
        let (client, api) = (try openID.client(), try ConfidentialClient(openID.server, "api"))
        let attempt = openID.attempt(client)
        let code = try await client.code(for: attempt)
        let tokens = try await client.redeem(code, attempt)
        try #require(tokens.status == 200, "\(tokens.text)")
        let accessToken = try tokens.string("access_token")
        #expect(await api.introspect(accessToken).json["active"] == true)
        #expect(try await openID.userInfo(accessToken, client).status == 200)

        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
        expect(try await client.refresh(try tokens.string("refresh_token")), isError: "invalid_grant")
        #expect(await api.introspect(accessToken).json == ["active": false])
        #expect(try await openID.userInfo(accessToken, client).status == 401)
    }

    @Test func `attack 18, code_other_client`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, thief) = (try FakeClient(server), try FakeClient.other(server))
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let stolen = client.exchange(code, attempt).with("client_id", "other")
        expect(try await thief.post("/token", stolen), isError: "invalid_grant")
        // Not even with the right key.
        expect(try await client.post("/token", stolen), isError: "invalid_grant")
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 19, code_expired`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        server.clock.advance(by: .seconds(60))
        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
    }

    @Test func `attack 19, a code works until its last second`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        server.clock.advance(by: .seconds(59))
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 20, code_after_consent_withdrawn`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        // As `keybound grant revoke` does.
        let administration = ServerAdministration(storage: server.storage, clock: server.clock, entropy: server.entropy)
        for grant in try await administration.grants(of: "ada") { try await administration.revokeGrant(grant.id) }
        expect(try await client.redeem(code, attempt), isError: "invalid_grant")
    }

    @Test(arguments: [
        "https://app.example.com/callback/", "https://app.example.com/Callback", "https://app.example.com:443/callback",
        "com.example.app:/callback", "https://evil.example.com/",
    ])
    func `attack 21, redirect_uri_mismatch_at_token`(redirectURI: String) async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let parameters = client.exchange(code, attempt).with("redirect_uri", redirectURI)
        expect(try await client.post("/token", parameters), isError: "invalid_grant")
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 22, redirect_uri_missing_at_token`() async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let parameters = client.exchange(code, attempt).with("redirect_uri", nil)
        expect(try await client.post("/token", parameters), isError: "invalid_request")
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `a code that nobody gave out, and tokens in its place, are one error`() async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let tokens = try await client.signIn()
        let attempt = client.attempt()
        for code in ["kbc_none", try tokens.string("refresh_token"), try tokens.string("access_token")] {
            expect(try await client.redeem(code, attempt), isError: "invalid_grant")
        }
    }
}

@Suite("Attacks on the binding of a code to a key, RFC 9449 section 10", .overSocketsOnEveryStore)
struct CodeBindingAttackTests {
    @Test func `attack 99, dpop_jkt_mismatch_at_token`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let thief = client.with(key: try TestKey.p256(9))
        expect(try await thief.redeem(code, attempt), isError: "invalid_grant")
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 99, the dpop_jkt of a request that was not pushed binds the code too`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("dpop_jkt", client.thumbprint)
        let browser = try await server.signedInBrowser()
        let callback = try await browser.decide("allow", on: await browser.get(client.directTarget(attempt))).callback()
        let code = try #require(callback["code"])
        expect(
            try await client.with(key: try TestKey.p256(9)).redeem(code, attempt),
            isError: "invalid_grant"
        )
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 100, dpop_jkt_given_but_no_proof_at_token`() async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [
                try ServerUnderTest.client("loose", redirectURIs: ["https://app.example.com/callback"], isBound: false)
            ]
        ) { $0.requireDPoP = false }
        let client = FakeClient(server, clientID: "loose", key: try TestKey.p256(2))
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        expect(try await client.with(key: nil).redeem(code, attempt), isError: "invalid_dpop_proof")
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test(arguments: [
        "short", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
        String(repeating: "A", count: 42) + "B", String(repeating: "A", count: 42) + "+",
    ])
    func `attack 101, dpop_jkt_malformed`(thumbprint: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("dpop_jkt", thumbprint)
        expect(try await client.push(attempt), isError: "invalid_request")
        #expect(try await server.get(client.directTarget(attempt)).callback()["error"] == "invalid_request")
    }

    @Test(arguments: [true, false])
    func `attack 102, client_flag_dpop_bound_without_proof`(isServersRule: Bool) async throws {
        let server = try await ServerUnderTest.inMemory(
            clients: [
                try ServerUnderTest.client(
                    "bound",
                    redirectURIs: ["https://app.example.com/callback"],
                    isBound: !isServersRule
                )
            ]
        ) { $0.requireDPoP = isServersRule }
        let keyless = FakeClient(server, clientID: "bound", key: nil)
        let attempt = keyless.attempt()
        let code = try await keyless.code(for: attempt)
        expect(try await keyless.redeem(code, attempt), isError: "invalid_dpop_proof")
        try await expectStillWorks(code, of: keyless.with(key: try TestKey.p256(2)), attempt)
    }
}
