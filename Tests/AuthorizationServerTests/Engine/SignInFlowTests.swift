// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import StrictJSON
import Testing

@Suite("A sign-in from metadata to revocation")
struct SignInFlowTests {
    @Test func `goes through pushed request, login, consent, code, token, refresh and revocation`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), FakeBrowser(server))
        let attempt = client.attempt()

        let pushed = try await client.push(attempt)
        #expect(pushed.status == 201)
        #expect(pushed.json["expires_in"]?.integerValue == 590)

        let target = "/authorize?client_id=app&request_uri=" + FormParameters.encode(try pushed.string("request_uri"))
        let consent = try await browser.follow(try await browser.logIn(on: await browser.get(target)))
        let answer = try await browser.decide("allow", on: consent)
        let callback = try answer.callback()
        #expect(answer.status == 303)
        #expect(callback["state"] == attempt.state)
        #expect(callback["iss"] == ServerUnderTest.issuer)

        let tokens = try await client.redeem(try #require(callback["code"]), attempt)
        #expect(tokens.status == 200)
        #expect(try tokens.string("token_type") == "DPoP")

        let refreshed = try await client.refresh(try tokens.string("refresh_token"))
        #expect(refreshed.status == 200)
        #expect(try refreshed.string("token_type") == "DPoP")
        #expect(try refreshed.string("access_token") != tokens.string("access_token"))

        let refreshToken = try refreshed.string("refresh_token")
        let revoked = await server.post("/revoke", ["client_id": "app", "token": refreshToken])
        #expect(revoked.status == 200 && revoked.body.isEmpty)
        expect(try await client.refresh(refreshToken), isError: "invalid_grant")
        #expect(server.reports.all.isEmpty)
    }

    @Test func `goes without a pushed request too`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let (attempt, browser) = (client.attempt(), try await server.signedInBrowser())
        let callback = try await browser.decide("allow", on: await browser.get(client.directTarget(attempt))).callback()
        #expect(callback["state"] == attempt.state)
        #expect(try await client.redeem(try #require(callback["code"]), attempt).status == 200)
    }
}
