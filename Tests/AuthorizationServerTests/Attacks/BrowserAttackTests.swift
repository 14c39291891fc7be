// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStage
import TestSupport
import Testing

@Suite("Attacks through the browser, RFC 9700 sections 4.7, 4.12 and 4.16", .overSocketsOnEveryStore)
struct BrowserAttackTests {
    private let server: ServerUnderTest
    private let client: FakeClient

    init() async throws {
        server = try await ServerUnderTest.inMemory()
        client = try FakeClient(server)
    }

    private func expectForged(_ response: HTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        expect(response, isErrorPageWith: "access_denied", status: 403, sourceLocation: sourceLocation)
        #expect(response.fields["Set-Cookie"] == nil, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["/consent", "/login"])
    func `attack 123, consent_csrf_token_missing`(path: String) async throws {
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        let good = try FakeBrowser.form(of: page).hidden
            .adding("decision", "allow").adding("username", "ada").adding("password", ServerUnderTest.password)
        let token = good["csrf_token"] ?? ""
        for bad in [
            good.with("csrf_token", nil), good.with("csrf_token", ""), good.with("csrf_token", token.lowercased()),
            good.with("csrf_token", String(token.dropLast())), good.with("request", nil), good.with("request", ""),
            good.adding("csrf_token", token), good.adding("request", good["request"] ?? ""),
        ] {
            expectForged(await browser.send(.form(path, bad)))
        }
        #expect(try await browser.decide("allow", on: page).status == 303)
    }

    @Test func `attack 123, the CSRF token of another request`() async throws {
        let browser = try await server.signedInBrowser()
        let first = await browser.get(try await client.pushedTarget(client.attempt()))
        let second = await browser.get(try await client.pushedTarget(client.attempt()))
        let other = try FakeBrowser.form(of: first).hidden["csrf_token"]
        let mixed = try FakeBrowser.form(of: second).hidden.with("csrf_token", other).adding("decision", "allow")
        expectForged(await browser.send(.form("/consent", mixed)))
    }

    @Test func `attack 124, consent_from_other_session`() async throws {
        let (victim, attacker) = (try await server.signedInBrowser(), try await server.signedInBrowser(as: "bob"))
        let target = try await client.pushedTarget(client.attempt())
        let attackersPage = await attacker.get(target)
        // The attacker makes the victim's browser send the form of the attacker's page.
        let forged: FormParameters = ["decision": "allow"]
        for origin in ["https://evil.example", nil] {
            expectForged(try await victim.submit(attackersPage, forged, origin: origin))
        }
        expectForged(try await FakeBrowser(server).decide("allow", on: attackersPage))
        // From this server it can only be a page that stayed open: it decides nothing.
        let page = try await victim.follow(try await victim.decide("allow", on: attackersPage))
        #expect(page.status == 200 && page.text.contains("ada") && page.text.contains("decision"))
        #expect(try await victim.decide("deny", on: await victim.get(target)).status == 303)
    }

    @Test func `attack 124, the request that somebody signed in for is no one else's`() async throws {
        let (victim, attacker) = (try await server.signedInBrowser(), FakeBrowser(server))
        let target = try await client.pushedTarget(client.attempt())
        let victimsPage = await victim.get(target)
        let attackersPage = try await attacker.follow(
            try await attacker.logIn(on: await attacker.get(target), as: "bob")
        )
        // The page that was open before, the address, and the address in a browser without a cookie.
        expectForged(try await victim.decide("allow", on: victimsPage))
        expectForged(await victim.get(target))
        expectForged(await FakeBrowser(server).get(target))
        #expect(try await attacker.decide("allow", on: attackersPage).callback()["code"] != nil)
    }

    @Test(arguments: ["/consent", "/login"])
    func `a page that stayed open while the user signed in in another tab leads to what is next`(
        path: String
    ) async throws {
        let browser = path == "/login" ? FakeBrowser(server) : try await server.signedInBrowser()
        let open = await browser.get(try await client.pushedTarget(client.attempt()))
        let otherTab = await browser.get(try await client.pushedTarget(client.attempt()))
        let login =
            path == "/login" ? otherTab : try await browser.follow(try await browser.decide("switch", on: otherTab))
        _ = try await browser.logIn(on: login, as: "bob")
        let values: FormParameters = ["decision": "allow", "username": "ada", "password": ServerUnderTest.password]
        let answer = try await browser.submit(open, values)
        #expect(answer.status == 303 && answer.fields["Set-Cookie"] == nil)
        let page = try await browser.follow(answer)
        #expect(page.text.contains("decision") && page.text.contains("bob"), "nothing of the old form was used")
        // What is unknown by then is said, and no other request is shown.
        let unknown = try FakeBrowser.form(of: open).hidden.with("request", "x").adding("decision", "allow")
        let gone = await browser.send(.form(path, unknown, fields: ["Origin": ServerUnderTest.issuer]))
        expect(gone, isErrorPageWith: "invalid_request_uri")
    }

    @Test func `the page says that cookies are off only if the browser sent none`() async throws {
        let (browser, other) = (FakeBrowser(server), try await server.signedInBrowser())
        let target = try await client.pushedTarget(client.attempt())
        let login = await browser.get(target)
        let withoutCookies = try await FakeBrowser(server).logIn(on: login)
        expectForged(withoutCookies)
        #expect(withoutCookies.text.contains("Cookies are off"))
        _ = try await browser.logIn(on: login)
        for (page, isOff) in [(await other.get(target), false), (await FakeBrowser(server).get(target), true)] {
            expectForged(page)
            #expect(page.text.contains("Cookies are off") == isOff)
            #expect(page.text.contains("This sign-in is open elsewhere") == !isOff)
        }
        let foreign = try await other.submit(login, [:], origin: "https://evil.example")
        #expect(!foreign.text.contains("Cookies are off"))
    }

    @Test func `attack 124, a request stays with its browser when somebody else signs in there`() async throws {
        let (browser, other) = (FakeBrowser(server), try await server.signedInBrowser())
        let first = try await client.pushedTarget(client.attempt())
        let second = try await client.pushedTarget(client.attempt())
        let consent = try await browser.follow(try await browser.logIn(on: await browser.get(first)))
        let switched = try await browser.follow(try await browser.decide("switch", on: consent))
        _ = try await browser.follow(try await browser.logIn(on: switched, as: "bob"))
        expectForged(await other.get(first))
        #expect(try await browser.decide("allow", on: await browser.get(first)).callback()["code"] != nil)
        // Opening a page binds nothing: link scanners open it too.
        _ = await browser.get(second)
        #expect(try await other.decide("allow", on: await other.get(second)).callback()["code"] != nil)
    }

    @Test(arguments: [
        "https://evil.example", "null", "http://auth.example.com", "https://auth.example.com:8443",
        "https://auth.example.com.evil.example", "",
    ])
    func `attack 124, a form from another origin`(origin: String) async throws {
        let browser = try await server.signedInBrowser()
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        expectForged(try await browser.submit(page, ["decision": "allow"], origin: origin))
        #expect(try await browser.submit(page, ["decision": "allow"], origin: nil).status == 303)
    }

    @Test func `attack 124, two cookies of the same name are none`() async throws {
        let browser = try await server.signedInBrowser()
        let cookie = try #require(browser.cookies[ServerUnderTest.cookieName])
        let planted = "\(ServerUnderTest.cookieName)=\(cookie); \(ServerUnderTest.cookieName)=\(cookie)"
        let target = try await client.pushedTarget(client.attempt())
        let response = await server.send(HTTPRequest(target: target, fields: ["Cookie": planted]))
        #expect(response.text.contains("Sign in") && !response.text.contains("ada"))
        #expect(response.fields["Set-Cookie"] != nil)
    }

    @Test func `attack 125, framing_denied`() async throws {
        let browser = FakeBrowser(server)
        let login = await browser.get(try await client.pushedTarget(client.attempt()))
        let consent = try await browser.follow(try await browser.logIn(on: login))
        let error = await browser.get("/authorize")
        for page in [login, consent, error] {
            let policy = page.fields["Content-Security-Policy"] ?? ""
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("default-src 'none'") && policy.contains("base-uri 'none'"))
            #expect(page.allowsNoScriptButItsOwn && !policy.contains("unsafe"))
            #expect(page.fields["X-Frame-Options"] == "DENY")
            #expect(page.fields["X-Content-Type-Options"] == "nosniff")
            #expect(page.fields["Cache-Control"] == "no-store")
            #expect(page.fields["Strict-Transport-Security"] != nil)
        }
    }

    @Test func `no page makes browsers post its form with an origin of null`() async throws {
        let login = await server.get(try await client.pushedTarget(client.attempt()))
        let consent = await (try await server.signedInBrowser()).get(try await client.pushedTarget(client.attempt()))
        for page in [login, consent] {
            // Fetch section 3.2: no-referrer would cause `Origin: null`, and a meta element overrides the field.
            #expect(page.fields["Referrer-Policy"] == "same-origin")
            #expect(!page.text.contains("name=\"referrer\""))
        }
    }

    @Test func `attack 126, redirect_is_303_not_307`() async throws {
        let browser = FakeBrowser(server)
        let login = try await browser.logIn(on: await browser.get(try await client.pushedTarget(client.attempt())))
        #expect(login.status == 303)
        let answer = try await browser.decide("allow", on: try await browser.follow(login))
        #expect(answer.status == 303 && answer.body.isEmpty)
        #expect(answer.fields["Referrer-Policy"] == "no-referrer")
        #expect(answer.fields["Cache-Control"] == "no-store")
        let error = await browser.get(client.directTarget(client.attempt()) + "&response_mode=fragment")
        #expect(error.status == 303)
    }

    @Test func `attack 127, client_name_xss`() async throws {
        let hostile = try ServerUnderTest.client(
            "hostile",
            name: "<script>alert(1)</script>\"><img src=x onerror=alert(1)>",
            redirectURIs: ["https://app.example.com/callback"]
        )
        let server = try await ServerUnderTest.inMemory(clients: [hostile])
        let client = FakeClient(server, clientID: "hostile", key: try TestKey.p256(2))
        let browser = FakeBrowser(server)
        let login = await browser.get(try await client.pushedTarget(client.attempt()))
        let consent = try await browser.follow(try await browser.logIn(on: login))
        for page in [login, consent] {
            #expect(page.text.contains("&lt;script&gt;"))
            let reader = try PageReader(page.text)
            #expect(page.allowsNoScriptButItsOwn && reader.all("img").isEmpty)
        }
    }

    @Test func `attack 127, what was typed or sent is never markup`() async throws {
        let markup = "\"><script>alert(1)</script>"
        let browser = FakeBrowser(server)
        var attempt = client.attempt()
        attempt.parameters = attempt.parameters.with("state", markup)
        let login = await browser.get(try await client.pushedTarget(attempt))
        let again = try await browser.logIn(on: login, as: markup, password: markup)
        let errors = [
            await browser.get("/authorize?client_id=" + FormParameters.encode(markup)),
            await browser.get("/authorize?client_id=app&request_uri=" + FormParameters.encode(markup)),
            await browser.get("/authorize?client_id=app&redirect_uri=" + FormParameters.encode(markup)),
        ]
        for page in [login, again] + errors {
            #expect(page.allowsNoScriptButItsOwn)
        }
        for page in [login] + errors { #expect(!page.text.contains("alert(1)")) }
    }

    @Test func `attack 127, a state comes back as it was and splits no header`() async throws {
        let browser = try await server.signedInBrowser()
        var attempt = client.attempt()
        let state = "a\r\nSet-Cookie: x=y\u{0}&code=evil#<>\u{E9}"
        attempt.parameters = attempt.parameters.with("state", state)
        let answer = try await browser.decide("allow", on: await browser.get(try await client.pushedTarget(attempt)))
        let location = try #require(answer.fields["Location"])
        #expect(location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(try answer.callback()["state"] == state)
        #expect(try answer.callback().values(for: "code").count == 1)
    }
}
