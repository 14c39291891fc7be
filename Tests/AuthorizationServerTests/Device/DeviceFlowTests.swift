// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Devices without a browser, RFC 8628")
struct DeviceFlowTests {
    @Test func `a user signs in, enters the code, allows, and the device gets its tokens`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        expect(try await device.poll(), isError: "authorization_pending")
        let browser = FakeBrowser(server)
        let login = await browser.get("/device")
        #expect(login.text.contains("to connect a device"))
        let page = try await browser.follow(try await browser.logIn(on: login))
        let consent = try await browser.follow(try await browser.submit(page, ["user_code": device.userCode]))
        #expect(consent.text.contains("Living room") && consent.text.contains("read your notes"))
        #expect(consent.text.contains("for the device that shows the code"))
        let end = try await browser.decide("allow", on: consent)
        #expect(end.status == 200 && end.text.contains("Your device is connected"))
        server.clock.advance(by: .seconds(5))
        let tokens = try await device.poll()
        #expect(tokens.status == 200 && tokens.json["token_type"] == "DPoP" && tokens.json["scope"] == "api:read")
        let claims = try CompactJWS(parsing: tokens.string("access_token")).payloadObject()
        #expect(claims["sub"] == "subject-of-ada" && claims["client_id"] == "tv")
        #expect(claims["cnf"] == ["jkt": .string(device.client.thumbprint)])
        #expect(try await device.client.refresh(tokens.string("refresh_token")).status == 200)
    }

    @Test func `the answer has all that RFC 8628 section 3.2 asks for`() async throws {
        let server = try await FakeDevice.server()
        let answer = await server.post("/device_authorization", ["client_id": "tv"])
        #expect(answer.status == 200 && answer.fields["Cache-Control"] == "no-store")
        let code = try answer.string("user_code")
        #expect(code.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
        let deviceCode = try answer.string("device_code")
        #expect(deviceCode.hasPrefix("kbd_") && deviceCode.utf8.count == 68)
        #expect(answer.json["verification_uri"] == "https://auth.example.com/device")
        #expect(
            answer.json["verification_uri_complete"] == .string("https://auth.example.com/device?user_code=" + code)
        )
        #expect(answer.json["expires_in"] == 600 && answer.json["interval"] == 5)
    }

    @Test(arguments: ["lower", "spaces", "plain"])
    func `case, hyphens and spaces do not count`(form: String) async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let plain = device.userCode.filter { $0 != "-" }
        let typed =
            switch form {
            case "lower": device.userCode.lowercased()
            case "spaces": " " + plain.map(String.init).joined(separator: " ")
            default: plain
            }
        let browser = try await server.signedInBrowser()
        #expect(try await FakeDevice.type(typed, in: browser).status == 303)
    }

    @Test func `a code in the address is shown to be compared, and the person still presses the button`() async throws {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let browser = try await server.signedInBrowser()
        let page = await browser.get("/device?user_code=" + device.userCode)
        #expect(page.status == 200 && page.text.contains("value=\"\(device.userCode)\""))
        #expect(page.text.contains("shows the very same code"))
        expect(try await device.poll(), isError: "authorization_pending")
        let other = await browser.get("/device?user_code=%3Cscript%3E")
        #expect(other.status == 200 && other.allowsNoScriptButItsOwn)
    }

    @Test func `the page for codes that stayed open while the user signed in in another tab is shown again`()
        async throws
    {
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        let browser = try await server.signedInBrowser()
        let open = await browser.get("/device")
        browser.cookies = try await server.signedInBrowser(as: "bob").cookies
        let answer = try await browser.submit(open, ["user_code": device.userCode])
        let page = try await browser.follow(answer)
        #expect(page.text.contains("value=\"\(device.userCode)\""))
        expect(try await device.poll(), isError: "authorization_pending")
        #expect(try await browser.submit(page, ["user_code": device.userCode]).status == 303)
    }

    @Test func `the person is asked every time, whatever was allowed before`() async throws {
        let server = try await FakeDevice.server { $0.remembersConsentForRedirectsThatAnyAppCanTake = true }
        let browser = try await server.signedInBrowser()
        for _ in 1...2 {
            let page = try await FakeDevice.start(server).consentPage(in: browser)
            #expect(page.status == 200 && !page.text.contains("name=\"remember\""))
            #expect(try await browser.submit(page, ["decision": "allow", "remember": "yes"]).status == 200)
        }
    }

    @Test func `waiting is no refusal that an address is limited for`() async throws {
        let server = try await FakeDevice.server { configuration in
            configuration.rateLimits.token = RateLimit(3, per: .seconds(600))
        }
        let device = try await FakeDevice.start(server)
        let home = FakeDevice(
            client: try FakeDevice.client(server.seen(from: "192.0.2.1")),
            deviceCode: device.deviceCode,
            userCode: device.userCode
        )
        for _ in 1...10 {
            expect(try await home.poll(), isError: "authorization_pending")
            server.clock.advance(by: .seconds(5))
        }
    }

    @Test func `RFC 9449 section 11_1, a proof of a poll fetches nothing with another grant of the same key`()
        async throws
    {
        let server = try await FakeDevice.server()
        let (allowed, waiting) = (try await FakeDevice.start(server), try await FakeDevice.start(server))
        try await allowed.decide("allow")
        let refreshToken = try await allowed.poll().string("refresh_token")
        let proof = try #require(try await allowed.client.proof(for: "/token"))
        let poll = await server.post("/token", waiting.question(), fields: ["DPoP": proof])
        expect(poll, isError: "authorization_pending")
        let refresh = await server.post("/token", waiting.client.refreshing(refreshToken), fields: ["DPoP": proof])
        expect(refresh, isError: "invalid_dpop_proof")
        #expect(try await allowed.client.refresh(refreshToken).status == 200, "nothing was consumed")
    }

    @Test func `RFC 9449 section 11_1, a proof of a poll fetches nothing once the user has allowed the device`()
        async throws
    {
        // Proofs of polls and proofs that fetch tokens are in two memories here.
        let server = try await FakeDevice.server()
        let device = try await FakeDevice.start(server)
        try await device.client.fetchNonce()
        let proof = try #require(try await device.client.proof(for: "/token"))
        let poll = await server.post("/token", device.question(), fields: ["DPoP": proof])
        expect(poll, isError: "authorization_pending")
        try await device.decide("allow")
        let again = await server.post("/token", device.question(), fields: ["DPoP": proof])
        expect(again, isError: "invalid_dpop_proof")
        #expect(try await device.poll().status == 200, "nothing was consumed")
    }

    @Test func `OpenID Connect works on devices too`() async throws {
        var client = try ServerUnderTest.client("tv", redirectURIs: [], scope: "openid api:read")
        client.grantTypes = [.deviceCode]
        let server = try await ServerUnderTest.inMemory(clients: [client]) {
            $0.scopes.append(ScopeDescription(name: "openid"))
        }
        let prover = try FakeDevice.client(server)
        let answer = await server.post("/device_authorization", ["client_id": "tv"])
        let device = FakeDevice(
            client: prover,
            deviceCode: try answer.string("device_code"),
            userCode: try answer.string("user_code")
        )
        try await device.decide("allow")
        let tokens = try await device.poll()
        let claims = try CompactJWS(parsing: tokens.string("id_token")).payloadObject()
        #expect(claims["sub"] == "subject-of-ada" && claims["aud"] == "tv")
        #expect(tokens.json["refresh_token"] == nil, "the client is not registered for refresh tokens")
    }
}
