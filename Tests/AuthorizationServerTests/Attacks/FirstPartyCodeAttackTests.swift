// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite(
    "Attacks on sign-in without a browser: code, browser and step-up, OAuth 2.0 for First-Party Applications section 6",
    .overSocketsOnEveryStore
)
struct FirstPartyCodeAttackTests {
    @Test func `attack 219, fp_code_other_key`() async throws {
        let server = try await FirstPartyApp.server()
        let (app, thief) = (try await FirstPartyApp(server), try await FirstPartyApp(server, key: 4))
        let attempt = app.client.attempt()
        let code = try await app.finish(attempt).string("authorization_code")
        let exchange = app.client.exchange(code, attempt)
        expect(try await thief.client.post("/token", exchange), isError: "invalid_grant")
        let mixed = FakeClient(server, clientID: "notes", key: thief.client.key, standing: app.client.standing)
        expect(try await mixed.post("/token", exchange), isError: "invalid_client_attestation")
        let bare = FakeClient(server, clientID: "notes", key: nil, standing: app.client.standing)
        expect(try await bare.post("/token", exchange), isError: "invalid_dpop_proof")
        try await expectStillWorks(code, of: app.client, attempt)
    }

    @Test func `attack 220, fp_code_other_client, redirect_uri_confused`() async throws {
        let server = try await FirstPartyApp.server()
        let (app, shop) = (try await FirstPartyApp(server), try await FirstPartyApp(server, "shop"))
        let attempt = app.client.attempt()
        let response = try await app.finish(attempt)
        let code = try response.string("authorization_code")
        let exchange = app.client.exchange(code, attempt)
        expect(try await shop.client.post("/token", exchange.with("client_id", "shop")), isError: "invalid_grant")
        let verifier = app.client.attempt().verifier.text
        expect(
            try await app.client.post("/token", exchange.with("code_verifier", verifier)),
            isError: "invalid_grant"
        )
        let otherURI = exchange.with("redirect_uri", "https://app.example.com/other")
        expect(try await app.client.post("/token", otherURI), isError: "invalid_grant")
        let none = exchange.with("redirect_uri", nil)
        expect(try await app.client.post("/token", none), isError: "invalid_request")
        try await expectStillWorks(code, of: app.client, attempt)
        expect(try await app.client.redeem(code, attempt), isError: "invalid_grant")
        expectSessionRejected(try await app.begin(nil, ["auth_session": try response.string("auth_session")]))

        let late = app.client.attempt()
        let old = try await app.finish(late).string("authorization_code")
        server.clock.advance(by: .seconds(61))
        expect(try await app.client.redeem(old, late), isError: "invalid_grant")
    }

    @Test func `attack 229, redirect_request_uri_stolen`() async throws {
        let server = try await FirstPartyApp.server()
        let (app, thief) = (try await FirstPartyApp(server), try await FirstPartyApp(server, key: 4))
        let attempt = app.client.attempt()
        let target = try await webTarget(app, attempt)
        let browser = try await server.signedInBrowser()
        let stolen = await browser.get(target.replacing("client_id=notes", with: "client_id=shop"))
        #expect(stolen.status == 400 && stolen.fields["Location"] == nil)
        let page = await browser.get(target)
        let code = try #require(try await browser.decide("allow", on: page).callback()["code"])
        expect(await browser.get(target), isErrorPageWith: "invalid_request_uri")
        let exchange = app.client.exchange(code, attempt)
        expect(try await thief.client.post("/token", exchange), isError: "invalid_grant")
        let other = exchange.with("code_verifier", app.client.attempt().verifier.text)
        expect(try await app.client.post("/token", other), isError: "invalid_grant")
        try await expectStillWorks(code, of: app.client, attempt)

        let late = try await webTarget(app, app.client.attempt())
        server.clock.advance(by: .seconds(591))
        expect(await browser.get(late), isErrorPageWith: "invalid_request_uri")
    }

    @Test func `attack 230, redirect_confused`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let session = try await app.session()
        _ = try await app.post(["auth_session": session, "step": "redirect_to_web"]).string("request_uri")
        expectSessionRejected(try await app.answer(session))
        let parameters = app.client.attempt().parameters
        let elsewhere = parameters.with("redirect_uri", "https://evil.example/callback")
        expect(try await app.post(elsewhere), isError: "invalid_request")
        for more: FormParameters in [[:], ["prompt": "consent"]] {
            var attempt = app.client.attempt()
            attempt.parameters = attempt.parameters.with("redirect_uri", nil)
            var response = try await app.begin(attempt, more)
            if let value = response.json["auth_session"]?.stringValue {
                response = try await app.post(["auth_session": value, "step": "redirect_to_web"])
            }
            expect(response, isError: "redirect_to_web", status: 403)
            #expect(response.json["request_uri"] == nil && response.json["expires_in"] == nil)
        }
        // A user who is signed in in the app is nobody in the browser.
        _ = try await app.signIn()
        let page = await FakeBrowser(server).get(try await webTarget(app, app.client.attempt()))
        #expect(page.text.contains("password"))
        let consent = try await server.signedInBrowser().get(webTarget(app, app.client.attempt()))
        #expect(consent.text.contains("decision"))
    }

    @Test func `attack 232, step_up_bypassed`() async throws {
        let context = "urn:example:other"
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let finished = try await app.signIn().code.string("auth_session")
        for more: FormParameters in [["max_age": "0"], ["prompt": "login"]] {
            let response = try await app.begin(nil, more.adding("auth_session", finished))
            expect(response, isError: "insufficient_authorization", status: 403)
        }
        let unknown = try await app.begin(nil, ["auth_session": finished, "acr_values": context])
        expect(unknown, isError: "unmet_authentication_requirements")
        server.clock.advance(by: .seconds(10))
        let fresh = try await app.begin(nil, ["auth_session": finished, "max_age": "10"])
        #expect(fresh.status == 200)
        server.clock.advance(by: .seconds(1))
        let value = try fresh.string("auth_session")
        let old = try await app.begin(nil, ["auth_session": value, "max_age": "10"])
        expect(old, isError: "insufficient_authorization", status: 403)
        let thief = try await FirstPartyApp(server, key: 4)
        expectSessionRejected(try await thief.begin(nil, ["auth_session": value]))
        let shop = try await FirstPartyApp(server, "shop")
        expectSessionRejected(try await shop.begin(nil, ["auth_session": value]))
        #expect(try await app.begin(nil, ["auth_session": value]).status == 200)
    }

    @Test(arguments: ["revoke", "revokeGrants", "setPassword", "removeUser", "time"])
    func `attack 232, a session that ended gives no code`(ending: String) async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let (code, tokens) = try await app.signIn()
        let value = try code.string("auth_session")
        switch ending {
        case "revoke":
            let token = try tokens.string("refresh_token")
            #expect(try await app.client.post("/revoke", ["token": token]).status == 200)
        case "revokeGrants": _ = try await server.storage.revokeGrants(of: nil, at: server.clock.now())
        case "setPassword":
            _ = try await server.storage.setPassword(PasswordHash(stored: "$none$x"), of: "subject-of-ada")
        case "removeUser": _ = try await server.storage.removeUser("subject-of-ada", at: server.clock.now())
        default: server.clock.advance(by: .seconds(8 * 3600))
        }
        let renewed = try await FirstPartyApp(server)
        expectSessionRejected(try await renewed.begin(nil, ["auth_session": value]))
    }

    @Test func `attack 232, a session ends with the grant of its last code, and not with an earlier one`() async throws
    {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let (code, tokens) = try await app.signIn()
        let attempt = app.client.attempt()
        let second = try await app.begin(attempt, ["auth_session": try code.string("auth_session")])
        let later = try await app.client.redeem(second.string("authorization_code"), attempt)
        let value = try second.string("auth_session")
        let earlier = try tokens.string("refresh_token")
        #expect(try await app.client.post("/revoke", ["token": earlier]).status == 200)
        // The session is known, but older than this.
        let known = try await app.begin(nil, ["auth_session": value, "max_age": "0"])
        expect(known, isError: "insufficient_authorization", status: 403)
        let last = try later.string("refresh_token")
        #expect(try await app.client.post("/revoke", ["token": last]).status == 200)
        let renewed = try await FirstPartyApp(server)
        expectSessionRejected(try await renewed.begin(nil, ["auth_session": value]))
    }

    @Test func `attack 232, the token says when and how the user signed in`() async throws {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let signedInAt = server.clock.now()
        let finished = try await app.signIn().code.string("auth_session")
        server.clock.advance(by: .seconds(100))
        let attempt = app.client.attempt()
        let code = try await app.begin(attempt, ["auth_session": finished]).string("authorization_code")
        let token = try await app.client.redeem(code, attempt).string("access_token")
        let claims = try CompactJWS(parsing: token).payloadObject()
        #expect(claims["auth_time"]?.integerValue == signedInAt.secondsSince1970)
        #expect(claims["amr"] == ["pwd"])
    }

    /// The address at which a browser takes a sign-in up.
    private func webTarget(_ app: FirstPartyApp, _ attempt: FakeClient.Attempt) async throws -> String {
        let session = try await app.session(attempt)
        let response = try await app.post(["auth_session": session, "step": "redirect_to_web"])
        let target: FormParameters = ["client_id": "notes", "request_uri": try response.string("request_uri")]
        return "/authorize?" + target.encoded()
    }
}
