// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("OpenID Connect: what a request asks about the person")
struct AuthenticationRequestTests {
    private static func heading(_ page: HTTPResponse) throws -> String? {
        try PageReader(page.text).text(of: "h1")
    }

    /// The first page for a request in a browser, or the redirect in place of one.
    private func open(
        _ more: FormParameters,
        _ openID: OpenIDServer,
        _ browser: FakeBrowser
    ) async throws -> HTTPResponse {
        let client = try openID.client()
        return await browser.get(try await client.pushedTarget(openID.attempt(client, more)))
    }

    // MARK: prompt

    @Test(arguments: [nil, "openid", "api:read"])
    func `prompt=none never shows a page: login_required when nobody is signed in`(_ scope: String?) async throws {
        let openID = try await OpenIDServer()
        var more: FormParameters = ["prompt": "none"]
        if let scope { more.append("scope", scope) }
        let browser = FakeBrowser(openID.server)
        let answer = try await open(more, openID, browser)
        #expect(answer.status == 303 && answer.body.isEmpty)
        let callback = try answer.callback()
        #expect(callback["error"] == "login_required")
        #expect(callback["iss"] == ServerUnderTest.issuer)
        #expect(callback["state"] != nil && callback["code"] == nil)
        #expect(browser.cookies.isEmpty)
    }

    @Test func `prompt=none never shows a page: consent_required when somebody is`() async throws {
        let openID = try await OpenIDServer()
        let (client, browser) = (try openID.client(), try await openID.server.signedInBrowser())
        let target = try await client.pushedTarget(openID.attempt(client, ["prompt": "none"]))
        let answer = await browser.get(target)
        #expect(answer.status == 303)
        #expect(try answer.callback()["error"] == "consent_required")
        // That was the answer: there is no other.
        expect(await browser.get(target), isErrorPageWith: "invalid_request_uri")
        // Also for a request that was not pushed.
        let direct = await browser.get(client.directTarget(openID.attempt(client, ["prompt": "none"])))
        #expect(try direct.callback()["error"] == "consent_required")
    }

    @Test(arguments: ["none", "max_age"])
    func `prompt=none with a session that is too old is login_required`(_ kind: String) async throws {
        let openID = try await OpenIDServer()
        let browser = try await openID.server.signedInBrowser()
        openID.server.clock.advance(by: .seconds(61))
        let answer = try await open(["prompt": "none", "max_age": kind == "none" ? "0" : "60"], openID, browser)
        #expect(try answer.callback()["error"] == "login_required")
    }

    @Test func `prompt=login asks for the password of who is signed in, once, and auth_time is that of now`()
        async throws
    {
        let openID = try await OpenIDServer()
        let (client, browser) = (try openID.client(), try await openID.server.signedInBrowser())
        openID.server.clock.advance(by: .seconds(1000))
        let attempt = openID.attempt(client, ["prompt": "login"])
        let login = await browser.get(try await client.pushedTarget(attempt))
        #expect(try Self.heading(login) == "Sign in")
        let consent = try await browser.follow(try await browser.logIn(on: login))
        #expect(try Self.heading(consent)?.hasPrefix("Allow") == true)
        let code = try #require(try await browser.decide("allow", on: consent).callback()["code"])
        let claims = try await openID.claims(try await client.redeem(code, attempt).string("id_token"))
        #expect(claims["auth_time"]?.integerValue == openID.server.clock.now().secondsSince1970)
        // That login was for this request: the next one asks again.
        #expect(try Self.heading(try await open(["prompt": "login"], openID, browser)) == "Sign in")
        #expect(try Self.heading(try await open([:], openID, browser))?.hasPrefix("Allow") == true)
    }

    @Test(arguments: ["consent", "select_account", "consent select_account"])
    func `prompt=consent and select_account show whose account it is, and let the person take another`(
        _ prompt: String
    ) async throws {
        let openID = try await OpenIDServer()
        let page = try await open(["prompt": prompt], openID, try await openID.server.signedInBrowser())
        #expect(try Self.heading(page)?.hasPrefix("Allow") == true)
        #expect(page.text.contains("Sign in as someone else"))
    }

    @Test(arguments: ["none login", "create", "NONE", "login  consent", "login,consent", " login"])
    func `a prompt that is unknown, or another beside none, is rejected`(_ prompt: String) async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let attempt = openID.attempt(client, ["prompt": prompt])
        expect(try await client.push(attempt), isError: "invalid_request")
        let callback = try await openID.server.get(client.directTarget(attempt)).callback()
        #expect(callback["error"] == "invalid_request" && callback["state"] == attempt.state)
    }

    // MARK: max_age

    @Test func `max_age asks again when the login is older, and not when it is not`() async throws {
        let openID = try await OpenIDServer()
        let browser = try await openID.server.signedInBrowser()
        openID.server.clock.advance(by: .seconds(60))
        #expect(try Self.heading(try await open(["max_age": "60"], openID, browser))?.hasPrefix("Allow") == true)
        #expect(try Self.heading(try await open(["max_age": "59"], openID, browser)) == "Sign in")
    }

    @Test func `max_age asks again when the login lies in the future, since the clock was set back`() async throws {
        let openID = try await OpenIDServer()
        let (client, browser) = (try openID.client(), try await openID.server.signedInBrowser())
        openID.server.clock.advance(by: .seconds(-86_400))
        // The limits of the client begin again with its first request.
        _ = try await client.push(openID.attempt(client, [:]))
        openID.server.clock.advance(by: .seconds(60))
        #expect(try Self.heading(try await open(["max_age": "7200"], openID, browser)) == "Sign in")
        // The clock of another server may be ahead a little.
        openID.server.clock.advance(by: .seconds(86_400 - 60 - 30))
        #expect(try Self.heading(try await open(["max_age": "7200"], openID, browser))?.hasPrefix("Allow") == true)
    }

    @Test func `max_age=0 always asks, also a moment after a login`() async throws {
        let openID = try await OpenIDServer()
        let (client, browser) = (try openID.client(), try await openID.server.signedInBrowser())
        for _ in 1...2 {
            let attempt = openID.attempt(client, ["max_age": "0"])
            let login = await browser.get(try await client.pushedTarget(attempt))
            #expect(try Self.heading(login) == "Sign in")
            let consent = try await browser.follow(try await browser.logIn(on: login))
            #expect(try await browser.decide("allow", on: consent).callback()["code"] != nil)
        }
    }

    @Test(arguments: ["max_age", "prompt"])
    func `the form token of the login page does not get around the login`(_ kind: String) async throws {
        let openID = try await OpenIDServer()
        let browser = try await openID.server.signedInBrowser()
        let login = try await open(kind == "prompt" ? ["prompt": "login"] : ["max_age": "0"], openID, browser)
        let form = try FakeBrowser.form(of: login)
        let answer = await browser.send(.form("/consent", form.hidden.adding("decision", "allow")))
        let next = try await browser.follow(answer)
        #expect(try Self.heading(next) == "Sign in")
    }

    @Test(arguments: ["-1", "1.5", "1e3", "+5", "0x10", "9999999999", "abc", " 1"])
    func `a max_age that is no number of seconds is rejected`(_ maxAge: String) async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        expect(try await client.push(openID.attempt(client, ["max_age": maxAge])), isError: "invalid_request")
    }

    // MARK: hints

    @Test func `login_hint fills in the name`() async throws {
        let openID = try await OpenIDServer()
        let page = try await open(["login_hint": "bob\"><script>"], openID, FakeBrowser(openID.server))
        let name = try PageReader(page.text).all("input").first { $0.attributes["name"] == "username" }
        #expect(name?.attributes["value"] == "bob\"><script>")
    }

    @Test func `id_token_hint of who is signed in changes nothing, also when it has expired`() async throws {
        let openID = try await OpenIDServer()
        let tokens = try await openID.signIn(try openID.client())
        openID.server.clock.advance(by: .seconds(3600))
        let browser = try await openID.server.signedInBrowser()
        let page = try await open(["id_token_hint": try tokens.string("id_token")], openID, browser)
        #expect(try Self.heading(page)?.hasPrefix("Allow") == true)
    }

    @Test func `id_token_hint of another person asks for a login, and who then signs in as a third is rejected`()
        async throws
    {
        let openID = try await OpenIDServer()
        let hint = try await openID.signIn(try openID.client()).string("id_token")
        let silent = try await open(
            ["id_token_hint": hint, "prompt": "none"],
            openID,
            try await openID.server.signedInBrowser(as: "bob")
        )
        #expect(try silent.callback()["error"] == "login_required")
        let browser = try await openID.server.signedInBrowser(as: "bob")
        let login = try await open(["id_token_hint": hint], openID, browser)
        #expect(try Self.heading(login) == "Sign in")
        let answer = try await browser.follow(try await browser.logIn(on: login, as: "bob"))
        let callback = try answer.callback()
        #expect(callback["error"] == "login_required" && callback["code"] == nil)
        // The right person goes on.
        let again = try await open(["id_token_hint": hint], openID, browser)
        let consent = try await browser.follow(try await browser.logIn(on: again))
        #expect(try await browser.decide("allow", on: consent).callback()["code"] != nil)
    }

    @Test func `the session of another person gives out no code, also when the form is sent by hand`() async throws {
        let openID = try await OpenIDServer()
        let hint = try await openID.signIn(try openID.client()).string("id_token")
        let browser = try await openID.server.signedInBrowser(as: "bob")
        let login = try await open(["id_token_hint": hint], openID, browser)
        let form = try FakeBrowser.form(of: login)
        let answer = await browser.send(.form("/consent", form.hidden.adding("decision", "allow")))
        #expect(answer.fields["Location"]?.hasPrefix("/authorize?") == true)
    }

    @Test(arguments: ["access token", "another server", "another client", "altered", "alg none", "nonsense"])
    func `an id_token_hint that is not ours, or none, is rejected`(_ kind: String) async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let hint = try await Self.wrongHint(kind, openID)
        expect(try await client.push(openID.attempt(client, ["id_token_hint": hint])), isError: "invalid_request")
    }

    /// What is no id_token of this server for the client `oidc`.
    static func wrongHint(_ kind: String, _ openID: OpenIDServer) async throws -> String {
        let tokens = try await openID.signIn(try openID.client(kind == "another client" ? "oidc-es256" : "oidc"))
        let idToken = try tokens.string("id_token")
        let parts = idToken.split(separator: ".").map(String.init)
        switch kind {
        case "access token": return try tokens.string("access_token")
        case "another client": return idToken
        case "another server":
            let jws = try CompactJWS(parsing: idToken)
            let key = try TestKey.p256(9)
            return try await CompactJWS.sign(
                header: ["typ": "JWT"],
                payload: JSONValue.object(jws.payloadObject()).encoded(),
                with: key
            )
        case "altered":
            let payload = try Base64URL.decode(parts[1])
            let text = String(decoding: payload, as: UTF8.self).replacing("subject-of-ada", with: "subject-of-bob")
            return "\(parts[0]).\(Base64URL.encode(Array(text.utf8))).\(parts[2])"
        case "alg none":
            return Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8)) + ".\(parts[1])."
        default: return "nonsense"
        }
    }

    // MARK: the others

    @Test func `OpenID Connect Core section 3_1_2_1, a request that is posted is taken up with the cookie`()
        async throws
    {
        let openID = try await OpenIDServer()
        let (client, browser) = (try openID.client(), try await openID.server.signedInBrowser())
        let attempt = openID.attempt(client)
        // From another site the browser sends no cookie.
        let posted = await openID.server.post("/authorize", attempt.parameters)
        let page = try await browser.follow(posted)
        #expect(try await browser.decide("allow", on: page).callback()["state"] == attempt.state)
        let wrong = await openID.server.send(HTTPRequest(method: "POST", target: "/authorize"))
        expect(wrong, isErrorPageWith: "invalid_request", status: 415)
    }

    @Test(arguments: ["/authorize", "/logout"])
    func `RFC 9110 section 15_5_14, a posted request that is too long for an address gets 413`(
        _ path: String
    ) async throws {
        let openID = try await OpenIDServer()
        let rest = path + "?a="
        let longest: FormParameters = ["a": String(repeating: "x", count: 14_000 - rest.utf8.count)]
        #expect(await openID.server.post(path, longest).fields["Location"]?.utf8.count == 14_000)
        let answer = await openID.server.post(path, longest.adding("b", ""))
        expect(answer, isErrorPageWith: "invalid_request", status: 413)
        #expect(answer.text.contains("RFC 9126") == (path == "/authorize"))
    }

    @Test(arguments: ["client_secret", "client_assertion"], ["/authorize", "/logout"])
    func `RFC 6749 section 2_3_1, a posted secret does not get into an address`(
        _ name: String,
        _ path: String
    ) async throws {
        let openID = try await OpenIDServer()
        let parameters = openID.attempt(try openID.client()).parameters
        let answer = await openID.server.post(path, parameters.adding(name, "s3cret"))
        expect(answer, isErrorPageWith: "invalid_client")
        #expect(!answer.text.contains("s3cret"))
        // A parameter without a value is treated as omitted (section 3.1).
        #expect(await openID.server.post(path, parameters.adding(name, "")).status == 303)
    }

    @Test func `ui_locales, display and claims are wishes that are not heard`() async throws {
        let openID = try await OpenIDServer()
        let more: FormParameters = [
            "ui_locales": "de", "display": "popup",
            "claims": #"{"id_token":{"email":null}}"#,
        ]
        let claims = try await openID.claims(try await openID.signIn(try openID.client(), more).string("id_token"))
        #expect(claims["email"] == nil)
        #expect(claims["acr"]?.stringValue?.hasSuffix("PasswordProtectedTransport") == true)
    }

    @Test(arguments: [("nonce", 2048), ("login_hint", 1024)])
    func `what is stored of a request is bounded`(_ name: String, _ limit: Int) async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let longest = String(repeating: "x", count: limit)
        #expect(try await client.push(openID.attempt(client, [name: longest])).status == 201)
        expect(try await client.push(openID.attempt(client, [name: longest + "x"])), isError: "invalid_request")
    }

    @Test func `the nonce is that of the request of the code: another one gets into no id_token`() async throws {
        let openID = try await OpenIDServer()
        let client = try openID.client()
        let (mine, theirs) = (openID.attempt(client, ["nonce": "mine"]), openID.attempt(client, ["nonce": "theirs"]))
        let code = try await client.code(for: mine)
        _ = try await client.code(for: theirs)
        let request = client.exchange(code, mine).adding("nonce", "theirs")
        let claims = try await openID.claims(try await client.post("/token", request).string("id_token"))
        #expect(claims["nonce"] == "mine")
    }
}
