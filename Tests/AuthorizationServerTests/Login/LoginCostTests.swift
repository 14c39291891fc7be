// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import ServerStorage
import TestSupport
import Testing

/// What tells names apart by time is counted, not timed: a stopwatch says something else each time.
@Suite("A login costs the same whoever is named")
struct LoginCostTests {
    private let derivations = Counter()
    private let server: ServerUnderTest
    private let browser: FakeBrowser
    private let page: HTTPResponse

    init() async throws {
        let hasher = PasswordHasher.unprotected(entropy: SeededEntropy(), derived: derivations.add)
        server = try await ServerUnderTest.inMemory(passwords: hasher)
        let account = UserAccount(
            subject: "subject-of-eve",
            username: "eve",
            passwordHash: try await hasher.hash("the password of eve"),
            createdAt: server.clock.now()
        )
        _ = try await server.storage.add(account)
        browser = FakeBrowser(server)
        let client = try FakeClient(server)
        page = await browser.get(try await client.pushedTarget(client.attempt()))
        #expect(derivations.take() == 1, "the hash of the account")
    }

    @Test func `one hash for a wrong password, for a name that nobody has, and for the right password`() async throws {
        #expect(try await browser.logIn(on: page, as: "eve", password: "wrong").status == 403)
        #expect(derivations.take() == 1)
        for name in ["nobody", "x", String(repeating: "n", count: 200), "eve@example.com"] {
            #expect(try await browser.logIn(on: page, as: name, password: "the password of eve").status == 403)
            #expect(derivations.take() == 1, "\(name)")
        }
        #expect(try await browser.logIn(on: page, as: "eve", password: "the password of eve").status == 303)
        #expect(derivations.take() == 1)
    }

    @Test func `no hash any more after as many guesses, at an account and at none`() async throws {
        for name in ["eve", "nobody"] {
            var statuses: [Int] = []
            for _ in 0..<12 { statuses.append(try await browser.logIn(on: page, as: name, password: "wrong").status) }
            #expect(statuses == Array(repeating: 403, count: 10) + [429, 429], "\(name)")
            #expect(derivations.take() == 10, "\(name)")
        }
    }

    @Test func `the digest of nothing is no password`() async throws {
        #expect(try await !PasswordHasher.unprotected(entropy: SeededEntropy()).check("", against: nil))
    }
}
