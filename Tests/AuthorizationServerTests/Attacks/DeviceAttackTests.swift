// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStage
import ServerStorage
import TestSupport
import Testing

@Suite("Attacks on devices that wait: RFC 8628 section 5, 119 to 124", .overSocketsOnEveryStore)
struct DeviceAttackTests {
    @Test func `attack 119, device_poll_too_fast_slow_down`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        expect(try await device.poll(), isError: "authorization_pending")
        server.clock.advance(by: .seconds(2))
        expect(try await device.poll(), isError: "slow_down")
        // The interval is now ten seconds.
        server.clock.advance(by: .seconds(6))
        expect(try await device.poll(), isError: "slow_down")
        server.clock.advance(by: .seconds(15))
        expect(try await device.poll(), isError: "authorization_pending")
        try await device.decide("allow")
        #expect(try await device.poll().status == 200, "who was allowed waits for nothing")
    }

    @Test func `attack 120, device_code_other_client`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        try await device.decide("allow")
        let thief = try FakeDevice.client(server, "radio", key: 3)
        expect(try await thief.post("/token", device.question(of: thief)), isError: "invalid_grant")
        #expect(try await device.poll().status == 200, "nothing was consumed")
    }

    @Test func `attack 120, a code that is bound to a key is of no use to another one, or to none`() async throws {
        let server = try await FakeDevice.server(isBound: false) { $0.requireDPoP = false }
        let device = try await FakeDevice.start(server, isBound: true)
        try await device.decide("allow")
        let thief = try FakeDevice.client(server, key: 3)
        expect(try await thief.post("/token", device.question()), isError: "invalid_grant")
        expect(await server.post("/token", device.question()), isError: "invalid_dpop_proof")
        #expect(try await device.poll().status == 200, "nothing was consumed")
    }

    @Test(arguments: ["the server", "the client"])
    func `attack 120, where codes must be bound, a device gets one only with a proof`(_ who: String) async throws {
        let server = try await FakeDevice.server(isBound: false, bindsCodes: who == "the client") {
            $0.requireDPoP = false
            $0.requireBoundAuthorizationCodes = who == "the server"
        }
        let form: FormParameters = ["client_id": "tv", "scope": "api:read"]
        expect(await server.post("/device_authorization", form), isError: "invalid_dpop_proof")
        let device = try await FakeDevice.start(server, isBound: true)
        try await device.decide("allow")
        let thief = try FakeDevice.client(server, key: 3)
        expect(try await thief.post("/token", device.question()), isError: "invalid_grant")
        #expect(try await device.poll().status == 200, "nothing was consumed")
    }

    @Test func `attack 120, a server that binds everything gives a device nothing without a proof`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        try await device.decide("allow")
        expect(await server.post("/token", device.question()), isError: "invalid_dpop_proof")
    }

    @Test func `attack 121, user_code_bruteforce_limited, and how long to wait`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let browser = try await server.signedInBrowser()
        for _ in 1...20 {
            let page = try await FakeDevice.type("BBBB-BBBB", in: browser)
            #expect(page.status == 400 && page.text.contains("This code does not work"))
        }
        let page = try await FakeDevice.type(device.userCode, in: browser)
        #expect(page.status == 429)
        #expect(page.fields["Retry-After"] != nil)
        #expect(page.text.contains("Too many attempts"))
        server.clock.advance(by: .seconds(30))
        #expect(try await FakeDevice.type(device.userCode, in: browser).status == 303)
    }

    @Test func `attack 121, user_code_bruteforce_limited, of one account in many browsers`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        for guess in 0..<20 {
            let browser = try await server.seen(from: "192.0.2.\(guess)").signedInBrowser()
            #expect(try await FakeDevice.type("BBBB-BBBB", in: browser).status == 400)
        }
        let next = try await server.seen(from: "192.0.2.99").signedInBrowser()
        let page = try await FakeDevice.type(device.userCode, in: next)
        #expect(page.status == 429)
        #expect(page.fields["Retry-After"] == "30")
        // Other accounts are not affected, nor is this one after the delay.
        let other = try await server.seen(from: "192.0.2.99").signedInBrowser(as: "bob")
        #expect(try await FakeDevice.type("BBBB-BBBB", in: other).status == 400)
        server.clock.advance(by: .seconds(30))
        #expect(try await FakeDevice.type(device.userCode, in: next).status == 303)
    }

    @Test func `attack 121, guesses at two servers of one database are counted together`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let other = try await FakeDevice.server(storage: server.storage)
        let (here, there) = (try await server.signedInBrowser(), try await other.signedInBrowser())
        for _ in 1...10 {
            #expect(try await FakeDevice.type("BBBB-BBBB", in: here).status == 400)
            #expect(try await FakeDevice.type("BBBB-BBBB", in: there).status == 400)
        }
        #expect(try await FakeDevice.type(device.userCode, in: here).status == 429)
        #expect(try await FakeDevice.type(device.userCode, in: there).status == 429)
        other.clock.advance(by: .seconds(30))
        // A right code gives its attempt back.
        for _ in 1...3 { #expect(try await FakeDevice.type(device.userCode, in: there).status == 303) }
    }

    @Test func `attack 121, user_code_bruteforce_limited, from one address`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let names = try await server.addUsers(4)
        let guesser = server.seen(from: "192.0.2.1")
        for guess in 0..<60 {
            let browser = try await guesser.signedInBrowser(as: names[guess / 20])
            #expect(try await FakeDevice.type("BBBB-BBBB", in: browser).status == 400)
        }
        let next = try await guesser.signedInBrowser(as: names[3])
        #expect(try await FakeDevice.type("BBBB-BBBB", in: next).status == 429)
        let elsewhere = try await server.seen(from: "192.0.2.2").signedInBrowser(as: names[3])
        #expect(try await FakeDevice.type(device.userCode, in: elsewhere).status == 303)
    }

    @Test func `attack 131, others who guess keep nobody out`() async throws {
        let sink = RecordedEvents()
        let server = try await FakeDevice.server(audit: sink) { $0.rateLimits.authorizationRequest = nil }
        let device = try await FakeDevice.start(server)
        let names = try await server.addUsers(17)
        for guess in 0...300 {
            let guesser = server.seen(from: "192.0.2.\(guess % 10)")
            let browser = try await guesser.signedInBrowser(as: names[guess % 16])
            let status = try await FakeDevice.type("BBBB-BBBB", in: browser).status
            #expect(status == (guess < 300 ? 400 : 429))
        }
        // Whoever guessed waits, and the operator knows once; everybody else goes on.
        #expect(sink.all.count { $0.kind == .userCodesGuessed } == 1)
        let newcomer = try await server.seen(from: "198.51.100.1").signedInBrowser(as: names[16])
        for _ in 1...4 { #expect(try await FakeDevice.type("BBBB-BBBB", in: newcomer).status == 400) }
        #expect(try await FakeDevice.type(device.userCode, in: newcomer).status == 303)
    }

    @Test func `attack 131, a code is not looked up before somebody is signed in`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let browser = try await server.signedInBrowser()
        let page = await browser.get("/device")
        try await server.storage.endSession(SecretHash(of: try #require(browser.cookies.values.first)))
        let answer = try await browser.submit(page, ["user_code": device.userCode])
        #expect(answer.status == 303 && answer.fields["Location"] == "/device?user_code=\(device.userCode)")
        let login = try await browser.follow(answer)
        #expect(login.text.contains("to connect a device") && login.text.contains("name=\"password\""))
        // Nobody but a signed-in user gets further: the page has no consent, and the device still waits.
        expect(try await device.poll(), isError: "authorization_pending")
    }

    @Test func `a user signs in, and finds the code of the link in the form`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let browser = FakeBrowser(server)
        let login = await browser.get("/device?user_code=\(device.userCode)")
        let wrong = try await browser.logIn(on: login, password: "not this one")
        #expect(wrong.status == 403 && wrong.text.contains("to connect a device"))
        let page = try await browser.follow(try await browser.logIn(on: wrong))
        #expect(page.status == 200 && page.text.contains("value=\"\(device.userCode)\""))
        let consent = try await browser.follow(try await browser.submit(page, ["user_code": device.userCode]))
        #expect(try await browser.decide("allow", on: consent).status == 200)
        #expect(try await device.poll().status == 200)
    }

    @Test func `the request that a user signs in with before entering a code is good for nothing else`() async throws {
        let server = try await FakeDevice.server()
        let browser = FakeBrowser(server)
        let form = try FakeBrowser.form(of: await browser.get("/device"))
        let reference = try #require(form.hidden["request"])
        let uri = "urn:ietf:params:oauth:request_uri:" + reference
        for clientID in ["app", "tv", ""] {
            let target = "/authorize?" + (["client_id": clientID, "request_uri": uri] as FormParameters).encoded()
            #expect(await browser.get(target).status == 400)
        }
        let consent = await browser.send(.form("/consent", form.hidden.adding("decision", "allow")))
        expect(consent, isErrorPageWith: "invalid_request_uri")
        let elsewhere = FakeBrowser(server)
        expect(await elsewhere.send(.form("/login", form.hidden)), isErrorPageWith: "access_denied", status: 403)
    }

    @Test func `attack 121, right codes count for nothing`() async throws {
        let server = try await FakeDevice.server()
        let browser = try await server.signedInBrowser()
        for _ in 1...30 {
            let device = try await FakeDevice.start(server)
            #expect(try await FakeDevice.type(device.userCode, in: browser).status == 303)
        }
    }

    @Test func `attack 121, wrong, malformed, answered and expired codes look alike`() async throws {
        let server = try await FakeDevice.server()
        let (denied, allowed) = (try await FakeDevice.start(server), try await FakeDevice.start(server))
        try await denied.decide("deny")
        try await allowed.decide("allow")
        let expired = try await FakeDevice.start(server)
        server.clock.advance(by: .seconds(600))
        let browser = try await server.signedInBrowser()
        var pages: Set<String> = []
        for code in ["BBBB-BBBB", "", "AEIO-UAEI", denied.userCode, allowed.userCode, expired.userCode] {
            let page = try await FakeDevice.type(code, in: browser)
            #expect(page.status == 400, "\(code)")
            pages.insert(page.text)
        }
        #expect(pages.count == 1)
    }

    @Test func `attack 122, device_code_after_denied`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let page = try await device.decide("deny")
        #expect(page.status == 200 && page.text.contains("The device gets nothing"))
        for _ in 1...2 { expect(try await device.poll(), isError: "access_denied") }
        server.clock.advance(by: .seconds(600))
        expect(try await device.poll(), isError: "access_denied")
    }

    @Test func `attack 122, device_code_twice`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        try await device.decide("allow")
        let refreshToken = try await device.poll().string("refresh_token")
        expect(try await device.poll(), isError: "invalid_grant")
        expect(try await device.client.refresh(refreshToken), isError: "invalid_grant")
        #expect(server.reports.all.contains { $0.contains("device code was used twice") })
    }

    @Test func `attack 122, of 64 that ask at once one gets tokens`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        try await device.decide("allow")
        try await device.client.fetchNonce()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { try await device.client.postOnce("/token", device.question()).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1)
        #expect(statuses.count { $0 == 400 } == 63)
    }

    @Test func `attack 122, a device that was not answered in time`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        server.clock.advance(by: .seconds(600))
        expect(try await device.poll(), isError: "expired_token")
    }

    @Test func `attack 122, a consent page that is answered twice`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let browser = try await server.signedInBrowser()
        let page = try await device.consentPage(in: browser)
        #expect(try await browser.decide("deny", on: page).status == 200)
        expect(try await browser.decide("allow", on: page), isErrorPageWith: "invalid_request_uri")
        expect(try await device.poll(), isError: "access_denied")
    }

    @Test func `attack 123, consent_csrf_token_missing, for a user code`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let browser = try await server.signedInBrowser()
        let form = try FakeBrowser.form(of: await browser.get("/device"))
        let forged: [FormParameters] = [
            ["user_code": device.userCode], form.hidden.with("csrf_token", "x").adding("user_code", device.userCode),
            form.hidden.with("request", "logout").adding("user_code", device.userCode),
        ]
        for parameters in forged {
            expect(await browser.send(.form("/device", parameters)), isErrorPageWith: "access_denied", status: 403)
        }
        let page = await browser.get("/device")
        let elsewhere = try await browser.submit(page, ["user_code": device.userCode], origin: "https://evil.example")
        expect(elsewhere, isErrorPageWith: "access_denied", status: 403)
    }

    @Test func `attack 124, consent_from_other_session: nobody is sent past the page that compares codes`() async throws
    {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let attacker = try await server.signedInBrowser(as: "bob")
        let next = try #require(try await FakeDevice.type(device.userCode, in: attacker).fields["Location"])
        let victim = try await server.signedInBrowser()
        expect(await victim.get(next), isErrorPageWith: "access_denied", status: 403)
    }

    @Test func `attack 125, framing_denied, and one script on the page for codes`() async throws {
        let server = try await FakeDevice.server()
        let page = await (try await server.signedInBrowser()).get("/device")
        let policy = try #require(page.fields["Content-Security-Policy"])
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"))
        #expect(page.allowsNoScriptButItsOwn && page.fields["X-Frame-Options"] == "DENY")
    }

    @Test func `attack 61, a client that is not registered for it gets no codes and no tokens`() async throws {
        let server = try await FakeDevice.server()
        expect(await server.post("/device_authorization", ["client_id": "app"]), isError: "unauthorized_client")
        let device = try await FakeDevice.start(server)
        let app = try FakeClient(server)
        expect(try await app.post("/token", device.question(of: app)), isError: "unauthorized_client")
        expect(await server.post("/device_authorization", ["client_id": "nobody"]), isError: "invalid_client")
        let wide: FormParameters = ["client_id": "tv", "scope": "api:admin"]
        expect(await server.post("/device_authorization", wide), isError: "invalid_scope")
    }
}
