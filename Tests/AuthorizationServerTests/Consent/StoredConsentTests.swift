// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import Synchronization
import TestSupport
import Testing

@testable import AuthorizationServer
@testable import ServerStorage

@Suite("Consent that is remembered, RFC 6749 section 10.2")
struct StoredConsentTests {
    private static let scheme = "com.example.app:/callback"
    private static let loopback = "http://127.0.0.1:49152/callback"

    private func attempt(_ client: FakeClient, _ more: FormParameters = [:]) -> FakeClient.Attempt {
        var attempt = client.attempt()
        for parameter in more.all { attempt.parameters = attempt.parameters.with(parameter.name, parameter.value) }
        return attempt
    }

    private func open(
        _ client: FakeClient,
        _ browser: FakeBrowser,
        _ more: FormParameters = [:]
    ) async throws -> HTTPResponse {
        await browser.get(try await client.pushedTarget(attempt(client, more)))
    }

    /// Says yes, and has it remembered where the page offers that.
    private func agree(
        _ client: FakeClient,
        _ browser: FakeBrowser,
        _ more: FormParameters = [:]
    ) async throws -> HTTPResponse {
        let page = try await open(client, browser, more)
        let isOffered = try PageReader(page.text).input(named: "remember") != nil
        return try await browser.submit(
            page,
            isOffered ? ["decision": "allow", "remember": "yes"] : ["decision": "allow"]
        )
    }

    private func isConsentPage(_ response: HTTPResponse) throws -> Bool {
        try response.status == 200 && PageReader(response.text).text(of: "h1")?.hasPrefix("Allow") == true
    }

    @Test func `the second request for what was allowed needs no page, and its code is worth as much`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        #expect(try await agree(client, browser).callback()["code"] != nil)
        let attempt = client.attempt()
        let answer = await browser.get(try await client.pushedTarget(attempt))
        #expect(answer.status == 303 && answer.body.isEmpty)
        let callback = try answer.callback()
        #expect(callback["state"] == attempt.state && callback["iss"] == ServerUnderTest.issuer)
        #expect(try await client.redeem(try #require(callback["code"]), attempt).status == 200)
        // Also when it is not pushed, and without the person.
        #expect(try await open(client, browser, ["prompt": "none"]).callback()["code"] != nil)
        #expect(try await browser.get(client.directTarget(client.attempt())).callback()["code"] != nil)
    }

    private func waitingRequests(_ server: ServerUnderTest) throws -> Int {
        try #require(server.storage as? MemoryAuthorizationStorage).tables.withLock { $0.requests.count }
    }

    @Test func `a request that is answered at once is stored nowhere, and its challenge works once`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        _ = try await agree(client, browser)
        let before = try waitingRequests(server)
        let attempt = client.attempt()
        let callback = try await browser.get(client.directTarget(attempt)).callback()
        #expect(callback["state"] == attempt.state && callback["iss"] == ServerUnderTest.issuer)
        let again = try await browser.get(client.directTarget(attempt)).callback()
        #expect(again["error"] == "invalid_request" && again["code"] == nil)
        #expect(try waitingRequests(server) == before)
        #expect(try await client.redeem(try #require(callback["code"]), attempt).status == 200)
    }

    @Test func `a request that brings its parameters itself waits when the person is needed`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        _ = try await agree(client, browser)
        let before = try waitingRequests(server)
        let asked = await browser.get(client.directTarget(attempt(client, ["prompt": "consent"])))
        #expect(try isConsentPage(asked))
        let login = await browser.get(client.directTarget(attempt(client, ["prompt": "login"])))
        #expect(login.status == 200 && login.text.contains("password"))
        let stranger = await FakeBrowser(server).get(client.directTarget(client.attempt()))
        #expect(stranger.status == 200 && stranger.text.contains("password"))
        #expect(try waitingRequests(server) >= before + 3)
        #expect(try await browser.decide("allow", on: asked).callback()["code"] != nil)
    }

    @Test func `a session that has ended answers nothing at once`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        _ = try await agree(client, browser)
        let page = await browser.get(client.directTarget(attempt(client, ["prompt": "consent"])))
        _ = try await browser.submit(page, ["decision": "switch"])
        let login = await browser.get(client.directTarget(client.attempt()))
        #expect(login.status == 200 && login.text.contains("password"))
        let silent = try await browser.get(client.directTarget(attempt(client, ["prompt": "none"]))).callback()
        #expect(silent["error"] == "login_required" && silent["code"] == nil)
    }

    @Test func `a person who does not tick the box is asked again`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        let page = try await open(client, browser)
        let box = try #require(try PageReader(page.text).input(named: "remember"))
        #expect(box.attributes["type"] == "checkbox" && box.attributes["checked"] == nil)
        #expect(try await browser.decide("allow", on: page).callback()["code"] != nil)
        #expect(try isConsentPage(try await open(client, browser)))
        #expect(try await open(client, browser, ["prompt": "none"]).callback()["error"] == "consent_required")
        // Saying no remembers nothing.
        let denied = try await browser.submit(try await open(client, browser), ["decision": "deny", "remember": "yes"])
        #expect(try denied.callback()["error"] == "access_denied")
        #expect(try isConsentPage(try await open(client, browser)))
    }

    @Test func `less than what was allowed needs no page, more does, and both are known afterwards`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        _ = try await agree(client, browser, ["scope": "api:read"])
        #expect(try isConsentPage(try await open(client, browser, ["scope": "api:read api:write"])))
        #expect(try isConsentPage(try await open(client, browser, ["scope": "api:write"])))
        _ = try await agree(client, browser, ["scope": "api:write"])
        for scope in ["api:read", "api:write", "api:write api:read"] {
            #expect(try await open(client, browser, ["scope": scope]).callback()["code"] != nil)
        }
    }

    @Test func `a consent is of one person, to one client`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        _ = try await agree(client, browser)
        #expect(try isConsentPage(try await open(client, try await server.signedInBrowser(as: "bob"))))
        #expect(try isConsentPage(try await open(try FakeClient.other(server), browser)))
        // It is the person's, and not the browser's.
        #expect(try await open(client, try await server.signedInBrowser()).callback()["code"] != nil)
        // Nobody is signed in: the page is that of the login, and after it comes the code.
        let fresh = FakeBrowser(server)
        let login = try await fresh.logIn(on: try await open(client, fresh))
        #expect(try await fresh.follow(login).callback()["code"] != nil)
    }

    @Test(arguments: ["consent", "select_account", "login consent"])
    func `prompt=consent and select_account always ask`(_ prompt: String) async throws {
        let server = try await ServerUnderTest.inMemory()
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        _ = try await agree(client, browser)
        var page = try await open(client, browser, ["prompt": prompt])
        if prompt.hasPrefix("login") { page = try await browser.follow(try await browser.logIn(on: page)) }
        #expect(try isConsentPage(page))
    }

    @Test(arguments: [scheme, loopback])
    func `RFC 8252 section 8_6, an app that any other can pass for is asked about every time`(
        _ uri: String
    ) async throws {
        let server = try await ServerUnderTest.inMemory()
        let (web, browser) = (try FakeClient(server), try await server.signedInBrowser())
        let native = FakeClient(server, redirectURI: uri, key: web.key)
        let page = try await open(native, browser)
        #expect(try PageReader(page.text).input(named: "remember") == nil)
        // What the page does not offer is not taken either.
        _ = try await browser.submit(page, ["decision": "allow", "remember": "yes"])
        #expect(try isConsentPage(try await open(native, browser)))
        // Nor does it help that the same client was allowed something where it is proven who it is, or the other way round.
        #expect(try isConsentPage(try await open(web, browser)))
        _ = try await agree(web, browser)
        #expect(try isConsentPage(try await open(native, browser)))
        #expect(try await open(native, browser, ["prompt": "none"]).callback()["error"] == "consent_required")
    }

    @Test(arguments: [scheme, loopback])
    func `an operator can have it remembered for those too`(_ uri: String) async throws {
        let server = try await ServerUnderTest.inMemory { $0.remembersConsentForRedirectsThatAnyAppCanTake = true }
        let client = FakeClient(server, redirectURI: uri, key: try TestKey.p256(2))
        let browser = try await server.signedInBrowser()
        _ = try await agree(client, browser)
        #expect(try await open(client, browser, ["prompt": "none"]).callback()["code"] != nil)
    }

    @Test func `attack 20, code_after_consent_withdrawn`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let administration = ServerAdministration(storage: server.storage, clock: server.clock, entropy: server.entropy)
        let (client, browser) = (try FakeClient(server), try await server.signedInBrowser())
        let first = attempt(client)
        let page = await browser.get(try await client.pushedTarget(first))
        let answer = try await browser.submit(page, ["decision": "allow", "remember": "yes"])
        let tokens = try await client.redeem(try #require(try answer.callback()["code"]), first)
        let second = attempt(client)
        let code = try #require(try await browser.get(try await client.pushedTarget(second)).callback()["code"])
        let third = try await client.pushedTarget(attempt(client))
        #expect(try await administration.withdrawConsent(of: "Ada", to: "app"))
        // The code, the refresh token, and the request that was on its way.
        expect(try await client.redeem(code, second), isError: "invalid_grant")
        expect(try await client.refresh(try tokens.string("refresh_token")), isError: "invalid_grant")
        #expect(try isConsentPage(await browser.get(third)))
        #expect(try await !administration.withdrawConsent(of: "ada", to: "app"))
        await #expect(throws: AuthorizationServerError.self) {
            try await administration.withdrawConsent(of: "nobody", to: "app")
        }
    }
}
