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

@Suite("Sign-in without a browser, OAuth 2.0 for First-Party Applications", .overSocketsOnEveryStore)
struct FirstPartyFlowTests {
    @Test func `first party: the server asks for a password, gives a code for it, and tokens for the code and the key`()
        async throws
    {
        let events = RecordedEvents()
        let server = try await FirstPartyApp.server(audit: events)
        let app = try await FirstPartyApp(server)
        let attempt = app.client.attempt()
        let asked = try await app.begin(attempt, ["login_hint": "ada"])
        expect(asked, isError: "insufficient_authorization", status: 403)
        #expect(asked.json["auth_session_expires_in"]?.integerValue == 300)
        #expect(
            asked.json["steps"] == [["type": "password", "username": "ada"], ["type": "redirect_to_web"]]
        )
        #expect(asked.json["problem"] == nil)
        let session = try asked.string("auth_session")
        #expect(session.utf8.count == 68 && session.hasPrefix("kbf_"))

        server.clock.advance(by: .seconds(10))
        let wrong = try await app.answer(session, password: "wrong")
        let next = try expectAskedAgain(wrong)
        #expect(wrong.json["auth_session_expires_in"]?.integerValue == 290)
        let finished = try await app.answer(next)
        #expect(finished.status == 200, "\(finished.text)")
        #expect(finished.json["auth_session_expires_in"]?.integerValue == 28_800)
        #expect(finished.fields.values(for: "Cache-Control") == ["no-store"])
        #expect(Set([session, next, try finished.string("auth_session")]).count == 3)
        let tokens = try await app.client.redeem(try finished.string("authorization_code"), attempt)
        #expect(tokens.status == 200, "\(tokens.text)")
        #expect(try tokens.string("scope") == "api:read")
        #expect(try tokens.string("token_type") == "DPoP")

        let kinds = events.all.map(\.kind.rawValue)
        for kind in ["first_party_started", "first_party_step_refused", "first_party_step_answered", "code_issued"] {
            #expect(kinds.contains(kind), "\(kinds)")
        }
        #expect(!kinds.contains("consent_given"))
        #expect(events.all.last { $0.kind == .codeIssued }?.detail == "first party")
        #expect(try await server.storage.consents(of: "subject-of-ada").isEmpty)
    }

    @Test func `first party: an answer may name the client and the response type, or neither`() async throws {
        let server = try await FirstPartyApp.server { $0.firstParty.allowsUnattestedClients = true }
        let more: [FormParameters] = [[:], ["client_id": "open"], ["client_id": "open", "response_type": "code"]]
        for parameters in more {
            let app = FirstPartyApp(FakeClient(server, clientID: "open", key: try TestKey.p256(2)))
            var answer = FirstPartyApp.answer(try await app.session())
            for parameter in parameters.all { answer.append(parameter.name, parameter.value) }
            let response = try await app.post(answer)
            #expect(response.status == 200, "\(response.text)")
        }
    }

    @Test func `first party: a request without a redirect URI gets a code that is exchanged without one`() async throws
    {
        let app = try await FirstPartyApp(try await FirstPartyApp.server())
        var attempt = app.client.attempt()
        attempt.parameters = attempt.parameters.with("redirect_uri", nil)
        let code = try await app.finish(attempt).string("authorization_code")
        let exchange = app.client.exchange(code, attempt)
        expect(try await app.client.post("/token", exchange), isError: "invalid_grant")
        let tokens = try await app.client.post("/token", exchange.with("redirect_uri", nil))
        #expect(tokens.status == 200, "\(tokens.text)")
    }

    @Test
    func `first party: the user goes on in the browser, which asks for everything and gives a code for the same key`()
        async throws
    {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let attempt = app.client.attempt()
        let session = try await app.session(attempt)
        let answer = try await app.post(["auth_session": session, "step": "redirect_to_web"])
        expect(answer, isError: "redirect_to_web", status: 403)
        #expect(answer.json["expires_in"]?.integerValue == 590)
        #expect(answer.json["auth_session"] == nil)
        let target: FormParameters = ["client_id": "notes", "request_uri": try answer.string("request_uri")]
        let browser = FakeBrowser(server)
        let login = await browser.get("/authorize?" + target.encoded())
        let consent = try await browser.follow(
            try await browser.logIn(on: login, password: FirstPartyApp.password)
        )
        #expect(consent.text.contains("decision"))
        let callback = try await browser.decide("allow", on: consent).callback()
        #expect(callback["state"] == attempt.state)
        let tokens = try await app.client.redeem(try #require(callback["code"]), attempt)
        #expect(tokens.status == 200, "\(tokens.text)")
    }

    @Test(arguments: ["consent", "select_account", "login consent"])
    func `first party: a prompt for a page leads to the browser at once`(prompt: String) async throws {
        let app = try await FirstPartyApp(try await FirstPartyApp.server())
        let response = try await app.begin(nil, ["prompt": prompt])
        expect(response, isError: "redirect_to_web", status: 403)
        #expect(try response.string("request_uri").hasPrefix("urn:ietf:params:oauth:request_uri:"))
    }

    @Test func `first party: the metadata names the endpoint and its steps, only if it is on`() async throws {
        let on = try await FirstPartyApp.server().get("/.well-known/oauth-authorization-server")
        #expect(try on.string("authorization_challenge_endpoint") == ServerUnderTest.issuer + FirstPartyApp.path)
        #expect(on.json["keybound_sign_in_steps_supported"] == ["password", "redirect_to_web"])
        let server = try await ServerUnderTest.inMemory()
        let off = await server.get("/.well-known/oauth-authorization-server")
        #expect(off.json["authorization_challenge_endpoint"] == nil)
        #expect(await server.post(FirstPartyApp.path, [:]).status == 404)
    }

    @Test func `first party: a finished session gives a code to a request that it meets, and is asked otherwise`()
        async throws
    {
        let server = try await FirstPartyApp.server()
        let app = try await FirstPartyApp(server)
        let first = try await app.signIn().code.string("auth_session")
        let attempt = app.client.attempt()
        let again = try await app.begin(attempt, ["auth_session": first, "prompt": "none"])
        #expect(again.status == 200, "\(again.text)")
        #expect(again.json["auth_session_expires_in"]?.integerValue == 28_800)
        let tokens = try await app.client.redeem(try again.string("authorization_code"), attempt)
        #expect(tokens.status == 200, "\(tokens.text)")
        server.clock.advance(by: .seconds(60))
        let second = try again.string("auth_session")
        let asked = try await app.begin(nil, ["auth_session": second, "max_age": "10"])
        expect(asked, isError: "insufficient_authorization", status: 403)
        try await app.expectGoesOn(try asked.string("auth_session"))
    }

    @Test func `first party: prompt=none without a session is login_required`() async throws {
        let app = try await FirstPartyApp(try await FirstPartyApp.server())
        expect(try await app.begin(nil, ["prompt": "none"]), isError: "login_required")
    }

    @Test func `first party: a login provider leads every sign-in to the browser`() async throws {
        let provider = LoginProvider(
            loginURL: try URI(parsing: "https://login.example.com/start"),
            keys: JWKSet([try TestKey.p256(7).publicKey]),
            contexts: []
        )
        let app = try await FirstPartyApp(try await FirstPartyApp.server { $0.loginSystem = provider })
        expect(try await app.begin(), isError: "redirect_to_web", status: 403)
        let metadata = await app.client.server.get("/.well-known/oauth-authorization-server").json
        #expect(metadata["keybound_sign_in_steps_supported"] == ["redirect_to_web"])
    }

    @Test func `first party: two users, two devices and two sign-ins of one user at a time do not disturb each other`()
        async throws
    {
        let server = try await FirstPartyApp.server()
        let (phone, tablet) = (try await FirstPartyApp(server), try await FirstPartyApp(server, key: 4))
        let sessions = [try await phone.session(), try await phone.session(), try await tablet.session()]
        #expect(try await phone.answer(sessions[0], as: "bob").status == 200)
        try await phone.expectGoesOn(sessions[1])
        try await tablet.expectGoesOn(sessions[2])
    }
}
