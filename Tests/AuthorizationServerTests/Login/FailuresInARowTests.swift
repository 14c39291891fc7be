// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStage
import ServerStorage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("At most a hundred wrong passwords in a row, NIST SP 800-63B-4 section 3.2.2", .overSocketsOnEveryStore)
struct FailuresInARowTests {
    private let server: ServerUnderTest
    private let events: RecordedEvents

    init() async throws {
        let (entropy, events) = (SeededEntropy(), RecordedEvents())
        let passwords = PasswordHasher.unprotected(entropy: entropy)
        server = try await ServerUnderTest.inMemory(passwords: passwords, audit: events, entropy: entropy)
        self.events = events
        try await setPassword()
    }

    private func setPassword() async throws {
        let passwords = PasswordHasher.unprotected(entropy: server.entropy)
        let administration = ServerAdministration(storage: server.storage, passwords: passwords, clock: server.clock)
        try await administration.changePassword(of: "ada", to: ServerUnderTest.password)
    }

    private var limiter: LoginLimiter { LoginLimiter(store: server.storage) }

    /// Guesses slowly, so that no guess has to wait; the first ones not by requests, which would take long.
    private func guess(_ count: Int, as username: String = "ada", in device: String? = nil) async throws {
        let account = try await server.storage.user(named: username)
        for _ in 0..<count {
            let admission = try await limiter.begin(for: username, of: account, in: device, at: server.clock.now())
            guard case .counted = admission else {
                Issue.record("\(admission)")
                return
            }
            server.clock.advance(by: .seconds(3600))
        }
    }

    /// An attempt that is let in; what it is counted under.
    private func attempt(in device: String) async throws -> LoginLimiter.Key {
        let account = try await server.storage.user(named: "ada")
        let admission = try await limiter.begin(for: "ada", of: account, in: device, at: server.clock.now())
        guard case .counted(let key) = admission else { throw NotCounted(admission: "\(admission)") }
        return key
    }

    private struct NotCounted: Error {
        let admission: String
    }

    /// The status of a sign-in with the right password.
    private func signIn(_ browser: FakeBrowser, as username: String = "ada") async throws -> Int {
        let client = try FakeClient(server)
        let page = await browser.get(try await client.pushedTarget(client.attempt()))
        return try await browser.logIn(on: page, as: username).status
    }

    /// A browser with nothing but the cookie of one in which somebody signed in.
    private func browser(knownAs value: String) -> FakeBrowser {
        let browser = FakeBrowser(server)
        browser.cookies = ["__Host-keybound-known": value]
        return browser
    }

    @Test func `the hundredth password is tried, and no other one`() async throws {
        try await guess(99)
        #expect(try await signIn(FakeBrowser(server)) == 303)
        // The sign-in has ended the row.
        try await guess(100)
        #expect(try await signIn(FakeBrowser(server)) == 403, "the right password is not tried")
        let event = try #require(events.all.last(where: { $0.kind == .limitReached }))
        #expect(event.subject == "subject-of-ada" && event.detail == "passwords of an account in a row")
        // The answer is the same as for a wrong password, and the pauses continue as before.
        for _ in 0..<9 { #expect(try await signIn(FakeBrowser(server)) == 403) }
        #expect(try await signIn(FakeBrowser(server)) == 429)
    }

    @Test func `a browser in which the user signed in before is let in, and that ends the row`() async throws {
        let home = FakeBrowser(server)
        #expect(try await signIn(home) == 303)
        let cookie = try #require(home.cookies["__Host-keybound-known"])
        try await guess(100)
        #expect(try await signIn(FakeBrowser(server)) == 403)
        #expect(try await signIn(browser(knownAs: cookie)) == 303)
        #expect(try await signIn(FakeBrowser(server)) == 303)
    }

    @Test func `in a known browser a hundred more may fail, and then it is like any other`() async throws {
        let account = try await server.storage.user(named: "ada")
        try await guess(100)
        try await guess(99, in: "home")
        // The hundredth was right, which ends both rows.
        try await limiter.succeed(attempt(in: "home"), in: "home", at: server.clock.now())
        try await guess(100)
        try await guess(100, in: "home")
        let last = try await limiter.begin(for: "ada", of: account, in: "home", at: server.clock.now())
        guard case .refused = last else {
            Issue.record("\(last)")
            return
        }
        // Another known browser has a row of its own.
        try await guess(1, in: "office")
        // A sign-in there ends the row of the account, and the used-up browser may guess again like any other.
        try await limiter.succeed(attempt(in: "office"), in: "office", at: server.clock.now())
        try await guess(1, in: "home")
    }

    @Test func `a guess in a known browser that was taken back is not in its row`() async throws {
        try await guess(100)
        try await guess(99, in: "home")
        for _ in 0..<3 { try await limiter.takeBack(attempt(in: "home"), at: server.clock.now()) }
        try await guess(1, in: "home")
    }

    @Test func `a new password starts again`() async throws {
        try await guess(100)
        #expect(try await signIn(FakeBrowser(server)) == 403)
        try await setPassword()
        #expect(try await signIn(FakeBrowser(server)) == 303)
    }

    @Test func `a new password ends the pause too, also in a browser that was known with the former one`() async throws
    {
        let home = FakeBrowser(server)
        #expect(try await signIn(home) == 303)
        let cookie = try #require(home.cookies["__Host-keybound-known"])
        try await failTenTimes()
        #expect(try await signIn(FakeBrowser(server)) == 429)
        try await setPassword()
        #expect(try await signIn(browser(knownAs: cookie)) == 303)
        #expect(try await signIn(FakeBrowser(server)) == 303)
    }

    @Test func `an account does not wait for the failures of a former one with its name`() async throws {
        try await failTenTimes()
        #expect(try await server.storage.removeUser("subject-of-ada", at: server.clock.now()))
        // A name without an account is counted by itself.
        try await failTenTimes()
        #expect(try await signIn(FakeBrowser(server)) == 429)
        let passwords = PasswordHasher.unprotected(entropy: server.entropy)
        let administration = ServerAdministration(storage: server.storage, passwords: passwords, clock: server.clock)
        _ = try await administration.addUser(username: "ada", password: ServerUnderTest.password)
        #expect(try await signIn(FakeBrowser(server)) == 303)
    }

    /// As often as is free of pauses, at one time.
    private func failTenTimes() async throws {
        let account = try await server.storage.user(named: "ada")
        for _ in 0..<10 {
            let admission = try await limiter.begin(for: "ada", of: account, at: server.clock.now())
            guard case .counted = admission else {
                Issue.record("\(admission)")
                return
            }
        }
    }

    @Test func `a year later the failures are forgotten, and those of a name that nobody has after an hour`()
        async throws
    {
        try await guess(100)
        try await guess(200, as: "nobody")
        server.clock.advance(by: .seconds(365 * 86_400))
        try await guess(1)
    }

    @Test func `a guess that was taken back, and one in a known browser, are not in the row`() async throws {
        try await guess(99)
        let account = try await server.storage.user(named: "ada")
        for browser in [nil, "home"] {
            let now = server.clock.now()
            let admission = try await limiter.begin(for: "ada", of: account, in: browser, at: now)
            guard case .counted(let key) = admission else {
                Issue.record("\(admission)")
                return
            }
            if browser == nil { try await limiter.takeBack(key, at: now) }
        }
        try await guess(1)
        let last = try await limiter.begin(for: "ada", of: account, at: server.clock.now())
        guard case .refused(let key) = last else {
            Issue.record("\(last)")
            return
        }
        // A refused attempt gives nothing back.
        try await limiter.takeBack(key, at: server.clock.now())
        let again = try await limiter.begin(for: "ada", of: account, at: server.clock.now())
        #expect(again == last)
    }
}
