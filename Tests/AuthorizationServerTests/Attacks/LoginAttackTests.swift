// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStage
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks on the login", .overSocketsOnEveryStore)
struct LoginAttackTests {
    private let server: ServerUnderTest
    private let client: FakeClient

    init() async throws {
        server = try await ServerUnderTest.inMemory()
        client = try FakeClient(server)
    }

    private func loginPage(in browser: FakeBrowser) async throws -> HTTPResponse {
        await browser.get(try await client.pushedTarget(client.attempt()))
    }

    @Test func `a cookie that was planted before the login is worth nothing after it`() async throws {
        let browser = FakeBrowser(server)
        let login = try await loginPage(in: browser)
        let planted = browser.cookies
        let answer = try await browser.logIn(on: login)
        #expect(browser.cookies != planted)
        #expect(try await browser.follow(answer).text.contains("decision"))

        let attacker = FakeBrowser(server)
        attacker.cookies = planted
        // The request is bound to the browser of the user who signed in; no other browser has a session.
        expect(try await attacker.follow(answer), isErrorPageWith: "access_denied", status: 403)
        #expect(try await loginPage(in: attacker).text.contains("password"))
    }

    @Test func `a form that is submitted twice signs the user in, whichever response the browser keeps`() async throws {
        let browser = FakeBrowser(server)
        let login = try await loginPage(in: browser)
        let before = browser.cookies
        _ = try await browser.logIn(on: login)
        // The browser sent both before it got the first response, and keeps the cookie of the second.
        browser.cookies = before
        let consent = try await browser.follow(try await browser.logIn(on: login))
        #expect(try await browser.decide("allow", on: consent).callback()["code"] != nil)
    }

    @Test func `whoever has an old form of a request gets it only as the user who signed in for it`() async throws {
        let (browser, other) = (FakeBrowser(server), FakeBrowser(server))
        let target = try await client.pushedTarget(client.attempt())
        let (login, otherLogin) = (await browser.get(target), await other.get(target))
        let consent = try await browser.follow(try await browser.logIn(on: login))
        let answer = try await other.logIn(on: otherLogin, as: "bob")
        expect(try await other.follow(answer), isErrorPageWith: "access_denied", status: 403)
        #expect(try await browser.decide("allow", on: consent).callback()["code"] != nil)
    }

    @Test func `signing in again ends the session before`() async throws {
        let browser = FakeBrowser(server)
        let first = try await loginPage(in: browser)
        _ = try await browser.logIn(on: first)
        let old = browser.cookies
        let consent = try await loginPage(in: browser)
        let login = try await browser.follow(try await browser.decide("switch", on: consent))
        _ = try await browser.logIn(on: login, as: "bob")
        let attacker = FakeBrowser(server)
        attacker.cookies = old
        #expect(try await loginPage(in: attacker).text.contains("password"))
    }

    @Test func `the cookie cannot be read by scripts, other hosts or plain http`() async throws {
        let response = await server.get(try await client.pushedTarget(client.attempt()))
        let cookie = try #require(response.fields["Set-Cookie"])
        #expect(response.fields.values(for: "Set-Cookie").count == 1)
        let parts = cookie.split(separator: ";").map { $0.drop { $0 == " " } }
        #expect(parts.first?.hasPrefix("__Host-keybound=") == true)
        #expect(parts.first?.count == "__Host-keybound=".count + 48)
        #expect(Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"])
    }

    @Test(arguments: [
        "%invalid", "__Host-keybound=short", "__Host-keybound=",
        "__Host-keyboundx=" + String(repeating: "A", count: 43),
        "__host-keybound=" + String(repeating: "A", count: 43), ";;;", "=",
    ])
    func `a cookie that is not ours is none`(cookie: String) async throws {
        let target = try await client.pushedTarget(client.attempt())
        let response = await server.send(HTTPRequest(target: target, fields: ["Cookie": cookie]))
        #expect(response.status == 200)
        #expect(response.fields["Set-Cookie"]?.hasPrefix("__Host-keybound=") == true)
    }

    @Test func `a wrong password and an unknown name are answered alike`() async throws {
        let browser = FakeBrowser(server)
        let page = try await loginPage(in: browser)
        let wrong = try await browser.logIn(on: page, as: "ada", password: "wrong")
        let unknown = try await browser.logIn(on: page, as: "eve", password: "wrong")
        #expect(wrong.status == 403 && unknown.status == 403)
        #expect(wrong.text.replacing("\"ada\"", with: "") == unknown.text.replacing("\"eve\"", with: ""))
        #expect(wrong.fields["Set-Cookie"] == nil && !wrong.text.contains("wrong\""))
        #expect(try await browser.logIn(on: page).status == 303)
    }

    @Test func `names are taken with capitals and spaces around, passwords are not`() async throws {
        let browser = FakeBrowser(server)
        let page = try await loginPage(in: browser)
        #expect(try await browser.logIn(on: page, password: ServerUnderTest.password + " ").status == 403)
        #expect(try await browser.logIn(on: page, as: " ADA\t").status == 303)
    }

    @Test(arguments: [("", "x"), ("ada", ""), ("  ", "x"), (String(repeating: "a", count: 257), "x")])
    func `a name or password that is missing is asked for again`(username: String, password: String) async throws {
        let browser = FakeBrowser(server)
        let answer = try await browser.logIn(on: try await loginPage(in: browser), as: username, password: password)
        #expect(answer.status == 400)
        #expect(answer.text.contains("Something is missing"))
    }

    @Test func `attack 128, login_bruteforce_limited`() async throws {
        let browser = FakeBrowser(server)
        let page = try await loginPage(in: browser)
        for _ in 0..<10 { #expect(try await browser.logIn(on: page, password: "wrong").status == 403) }
        // The correct password is not checked either, and another user is not affected.
        #expect(try await browser.logIn(on: page).status == 429)
        #expect(try await browser.logIn(on: page, as: "ADA ").status == 429)
        server.clock.advance(by: .seconds(59))
        #expect(try await browser.logIn(on: page).status == 429)
        server.clock.advance(by: .seconds(1))
        #expect(try await browser.logIn(on: page, password: "wrong").status == 403)
        #expect(try await browser.logIn(on: page).status == 429)
        #expect(try await browser.logIn(on: page, as: "bob").status == 303)
    }

    @Test func `attack 128, guesses at two servers of one database are counted together`() async throws {
        let other = try await ServerUnderTest.inMemory(storage: server.storage, entropy: SeededEntropy(seed: 9))
        let (here, there) = (FakeBrowser(server), FakeBrowser(other))
        let otherClient = try FakeClient.other(other)
        let page = try await loginPage(in: here)
        let otherPage = await there.get(try await otherClient.pushedTarget(otherClient.attempt()))
        for _ in 0..<5 {
            #expect(try await here.logIn(on: page, password: "wrong").status == 403)
            #expect(try await there.logIn(on: otherPage, password: "wrong").status == 403)
        }
        #expect(try await here.logIn(on: page).status == 429)
        #expect(try await there.logIn(on: otherPage).status == 429)
        other.clock.advance(by: .seconds(60))
        #expect(try await there.logIn(on: otherPage).status == 303)
        #expect(try await here.logIn(on: page).status == 303, "the right password has cleared the failures")
    }

    @Test func `attack 128, guesses at the same time are counted too`() async throws {
        let browser = FakeBrowser(server)
        let page = try await loginPage(in: browser)
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<18 {
                group.addTask { @concurrent in try await browser.logIn(on: page, password: "wrong").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0 == 403 }.count == 10)
        #expect(answers.filter { $0 == 429 }.count == 8)
    }
}

@Suite("What a person can answer", .overSocketsOnEveryStore)
struct ConsentTests {
    private let server: ServerUnderTest
    private let client: FakeClient

    init() async throws {
        server = try await ServerUnderTest.inMemory()
        client = try FakeClient(server)
    }

    @Test func `the page says who asks, for what, as whom, and where the answer goes`() async throws {
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        for text in ["Example App", "read your notes", "ada", "app.example.com"] { #expect(page.text.contains(text)) }
    }

    @Test(arguments: [
        ("https://app.example.com/callback", "https://app.example.com"),
        ("com.example.app:/callback", "com.example.app:"),
        ("http://127.0.0.1:49152/callback", "http://127.0.0.1:49152"), ("http://[::1]:49152/callback", "http:"),
    ])
    func `the policy of the page lets the answer go to that place only`(
        redirectURI: String,
        source: String
    ) async throws {
        let client = FakeClient(server, redirectURI: redirectURI, key: client.key)
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        let policy = page.fields["Content-Security-Policy"] ?? ""
        #expect(policy.contains("form-action 'self' \(source);"))
    }

    @Test func `a host with a semicolon adds no directive to the policy`() async throws {
        let uri = "https://app.example;script-src/callback"
        let server = try await ServerUnderTest.inMemory(
            clients: [try ServerUnderTest.client("odd", redirectURIs: [uri])]
        )
        let client = FakeClient(server, clientID: "odd", redirectURI: uri, key: client.key)
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        #expect(page.status == 200)
        #expect(page.allowsNoScriptButItsOwn)
        #expect(page.fields["Content-Security-Policy"]?.contains("script-src/") == false)
    }

    @Test func `every page with a form for the user has the script against double clicks, and its policy allows it`()
        async throws
    {
        let login = await server.get(try await client.pushedTarget(client.attempt()))
        let browser = try await server.signedInBrowser()
        let consent = await browser.get(try await client.pushedTarget(client.attempt()))
        for page in [login, consent] {
            #expect(try PageReader(page.text).all("script").count == 1)
            #expect(page.allowsNoScriptButItsOwn)
        }
    }

    @Test func `denying is told to the client, and gives no code`() async throws {
        let browser = try await server.signedInBrowser()
        let attempt = client.attempt()
        let page = await browser.get(try await client.pushedTarget(attempt))
        let callback = try await browser.decide("deny", on: page).callback()
        #expect(callback["error"] == "access_denied")
        #expect(callback["state"] == attempt.state)
        #expect(callback["code"] == nil)
    }

    @Test(arguments: ["", "maybe", "ALLOW", "allow "])
    func `what is no decision changes nothing`(decision: String) async throws {
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        expect(try await browser.decide(decision, on: page), isErrorPageWith: "invalid_request")
        #expect(try await browser.decide("allow", on: page).status == 303)
    }

    @Test func `switching ends the session and goes on with the same request`() async throws {
        let browser = try await server.signedInBrowser()
        let attempt = client.attempt()
        let page = await browser.get(try await client.pushedTarget(attempt))
        let login = try await browser.follow(try await browser.decide("switch", on: page))
        #expect(login.text.contains("password"))
        // The page that is still open in another tab leads to the login page, not to a code.
        #expect(try await browser.follow(try await browser.decide("allow", on: page)).text.contains("password"))

        let consent = try await browser.follow(try await browser.logIn(on: login, as: "bob"))
        let code = try #require(try await browser.decide("allow", on: consent).callback()["code"])
        let token = try CompactJWS(parsing: try await client.redeem(code, attempt).string("access_token"))
        #expect(try token.payloadObject()["sub"] == "subject-of-bob")
    }

    @Test func `a session that ended while the page was open leads to the login`() async throws {
        let browser = try await server.signedInBrowser()
        server.clock.advance(by: .seconds(8 * 3600 - 60))
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        #expect(page.text.contains("decision"))
        server.clock.advance(by: .seconds(60))
        #expect(try await browser.follow(try await browser.decide("allow", on: page)).text.contains("password"))
    }

    @Test func `a request may be looked at any number of times before it is answered`() async throws {
        let browser = try await server.signedInBrowser()
        let attempt = client.attempt()
        let target = try await client.pushedTarget(attempt)
        for _ in 0..<3 { #expect(await browser.get(target).status == 200) }
        #expect(await server.get(target).status == 200)
        let code = try #require(try await browser.decide("allow", on: await browser.get(target)).callback()["code"])
        try await expectStillWorks(code, of: client, attempt)
    }
}
