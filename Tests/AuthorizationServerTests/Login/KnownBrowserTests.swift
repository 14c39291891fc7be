// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import OAuthSystem
import ServerStage
import ServerStorage
import TestSupport
import Testing

@Suite(
    "Wrong passwords do not lock the owner of an account out, NIST SP 800-63B section 5.2.2",
    .overSocketsOnEveryStore
)
struct KnownBrowserTests {
    private static let cookie = "__Host-keybound-known"

    /// Passwords are cheap to check here: the tests try a hundred.
    private static func server(
        on storage: (any AuthorizationStorage)? = nil,
        entropy: SeededEntropy = SeededEntropy()
    ) async throws -> ServerUnderTest {
        let passwords = PasswordHasher.unprotected(entropy: entropy)
        let server = try await ServerUnderTest.inMemory(storage: storage, passwords: passwords, entropy: entropy) {
            $0.rateLimits.login = nil
        }
        guard storage == nil else { return server }
        for username in ["ada", "bob"] { try await setPassword(of: username, server) }
        return server
    }

    private static func setPassword(of username: String, _ server: ServerUnderTest) async throws {
        let passwords = PasswordHasher.unprotected(entropy: server.entropy)
        let administration = ServerAdministration(storage: server.storage, passwords: passwords, clock: server.clock)
        try await administration.changePassword(of: username, to: ServerUnderTest.password)
    }

    /// The response to a password on the login page.
    private static func attempt(
        _ browser: FakeBrowser,
        as username: String = "ada",
        password: String = "wrong password"
    ) async throws -> HTTPResponse {
        let client = try FakeClient(browser.server)
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        return try await browser.logIn(on: page, as: username, password: password)
    }

    private static func rightPassword(_ browser: FakeBrowser, as username: String = "ada") async throws -> Int {
        try await attempt(browser, as: username, password: ServerUnderTest.password).status
    }

    /// A browser with nothing but this cookie.
    private static func browser(_ value: String?, _ server: ServerUnderTest) -> FakeBrowser {
        let browser = FakeBrowser(server)
        browser.cookies = value.map { [cookie: $0] } ?? [:]
        return browser
    }

    /// Guesses until strangers have to wait.
    private static func flood(_ username: String, _ server: ServerUnderTest) async throws {
        for _ in 0..<10 { #expect(try await attempt(FakeBrowser(server), as: username).status == 403) }
        #expect(try await attempt(FakeBrowser(server), as: username).status == 429)
    }

    @Test func `guesses of others do not keep the owner out of a browser that signed in before, also after a restart`()
        async throws
    {
        let server = try await Self.server()
        let home = FakeBrowser(server)
        #expect(try await Self.rightPassword(home) == 303)
        let value = try #require(home.cookies[Self.cookie])
        try await Self.flood("ada", server)
        #expect(try await Self.rightPassword(FakeBrowser(server)) == 429)
        #expect(try await Self.rightPassword(Self.browser(value, server)) == 303)
        let restarted = try await Self.server(on: server.storage, entropy: server.entropy)
        #expect(try await Self.attempt(FakeBrowser(restarted)).status == 429, "a restart forgets no guesses")
        #expect(try await Self.rightPassword(Self.browser(value, restarted)) == 303)
        // Half a year later it proves nothing.
        restarted.clock.advance(by: .seconds(181 * 86_400))
        try await Self.flood("ada", restarted)
        #expect(try await Self.rightPassword(Self.browser(value, restarted)) == 429)
    }

    @Test func `the cookie of one account, a forged one and several prove nothing`() async throws {
        let server = try await Self.server()
        let home = FakeBrowser(server)
        #expect(try await Self.rightPassword(home, as: "bob") == 303)
        let bobs = try #require(home.cookies[Self.cookie])
        try await Self.flood("ada", server)
        let changed = String(bobs.dropLast()) + (bobs.hasSuffix("A") ? "B" : "A")
        for value in [bobs, changed, "", ".", "AAAAAAAAAAAAAAAAAAAAAA", String(repeating: "A.", count: 300)] {
            #expect(try await Self.rightPassword(Self.browser(value, server)) == 429, "\(value)")
        }
        // A browser knows several accounts.
        home.cookies = [Self.cookie: bobs]
        server.clock.advance(by: .seconds(3601))
        #expect(try await Self.rightPassword(home) == 303)
        let both = try #require(home.cookies[Self.cookie])
        for username in ["ada", "bob"] {
            try await Self.flood(username, server)
            #expect(try await Self.rightPassword(Self.browser(both, server), as: username) == 303)
        }
    }

    @Test func `a stolen cookie gives ten guesses, and a new password ends it`() async throws {
        let server = try await Self.server()
        let home = FakeBrowser(server)
        #expect(try await Self.rightPassword(home) == 303)
        let value = try #require(home.cookies[Self.cookie])
        try await Self.flood("ada", server)
        for _ in 0..<10 { #expect(try await Self.attempt(Self.browser(value, server)).status == 403) }
        #expect(try await Self.attempt(Self.browser(value, server)).status == 429)
        server.clock.advance(by: .seconds(3601))
        try await Self.setPassword(of: "ada", server)
        try await Self.flood("ada", server)
        #expect(try await Self.rightPassword(Self.browser(value, server)) == 429)
    }
}
