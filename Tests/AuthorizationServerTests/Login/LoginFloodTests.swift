// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPMessage
import ServerStage
import ServerStorage
import Synchronization
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("A flood of passwords delays whoever sends it", .overSocketsOnEveryStore, .timeLimit(.minutes(1)))
struct LoginFloodTests {
    /// Lets passwords through in the order that a test likes; the first one to be hashed is number 1.
    private final class Turnstile: Sendable {
        private struct State {
            var begun = 0
            var gates: [Int: DispatchSemaphore] = [:]
            var isOpen = false
        }

        private let state = Mutex(State())

        /// How many passwords were begun.
        var begun: Int { state.withLock { $0.begun } }

        func pass() {
            let gate = state.withLock { state -> DispatchSemaphore? in
                state.begun += 1
                return state.isOpen ? nil : Self.gate(state.begun, &state)
            }
            gate?.wait()
        }

        func admit(_ number: Int) {
            state.withLock { _ = Self.gate(number, &$0).signal() }
        }

        func open() {
            state.withLock { state in
                state.isOpen = true
                for gate in state.gates.values { gate.signal() }
            }
        }

        func arrival(of number: Int) async throws {
            while begun < number { try await Task.sleep(for: .milliseconds(2)) }
        }

        private static func gate(_ number: Int, _ state: inout State) -> DispatchSemaphore {
            let gate = state.gates[number] ?? DispatchSemaphore(value: 0)
            state.gates[number] = gate
            return gate
        }
    }

    private let turnstile = Turnstile()
    private let events = RecordedEvents()
    private let server: ServerUnderTest

    init() async throws {
        // The time stands still: nobody waits for too long, however long the machine takes.
        let start = ContinuousClock.now
        let hasher = PasswordHasher.unprotected(
            entropy: SeededEntropy(),
            uptime: { start },
            derived: turnstile.pass
        )
        server = try await ServerUnderTest.inMemory(passwords: hasher, audit: events) { configuration in
            let standard = RateLimits.standard
            configuration.rateLimits = RateLimits(
                login: RateLimit(20, per: .seconds(600)),
                token: standard.token,
                authorizationRequest: standard.authorizationRequest
            )
        }
        turnstile.admit(1)
        let account = UserAccount(
            subject: "subject-of-eve",
            username: "eve",
            passwordHash: try await hasher.hash("the password of eve"),
            createdAt: server.clock.now()
        )
        _ = try await server.storage.add(account)
    }

    private func loginPage(from address: String) async throws -> (FakeBrowser, HTTPResponse) {
        let server = server.seen(from: address)
        let (browser, client) = (FakeBrowser(server), try FakeClient(server))
        return (browser, await browser.get(try await client.pushedTarget(client.attempt())))
    }

    /// Sends passwords at once, and waits for those that are rejected at once.
    private func flood(
        _ count: Int,
        rejected: Int,
        as name: @escaping @Sendable (Int) -> String,
        meanwhile: (FakeBrowser, HTTPResponse) async throws -> Void
    ) async throws -> [Int] {
        let (browser, page) = try await loginPage(from: "203.0.113.1")
        return try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for number in 0..<count {
                group.addTask { try await browser.logIn(on: page, as: name(number), password: "wrong") }
            }
            for _ in 0..<rejected {
                let response = try #require(try await group.next())
                #expect(response.status == 429)
                #expect(response.fields["Retry-After"] == "1")
            }
            try await meanwhile(browser, page)
            turnstile.open()
            var statuses: [Int] = []
            for try await response in group { statuses.append(response.status) }
            return statuses
        }
    }

    @Test func `somebody at another address signs in while one address floods`() async throws {
        let (browser, page) = try await loginPage(from: "203.0.113.2")
        let rest = try await flood(12, rejected: 7) {
            "nobody \($0)"
        } meanwhile: { _, _ in
            async let response = browser.logIn(on: page, as: "eve", password: "the password of eve")
            // One of the flood is at work, and one thread is left for others.
            try await turnstile.arrival(of: 3)
            turnstile.admit(3)
            #expect(try await response.status == 303)
        }
        #expect(rest == [403, 403, 403, 403, 403])
        let limits = events.all.filter { $0.kind == .limitReached }.map(\.detail)
        #expect(limits == ["passwords of an address at once"])
    }

    @Test func `what was rejected counts against the address, and not against the account`() async throws {
        let rest = try await flood(9, rejected: 4) { _ in
            "eve"
        } meanwhile: { _, _ in
        }
        #expect(rest == [403, 403, 403, 403, 403])
        let (browser, page) = try await loginPage(from: "203.0.113.2")
        for _ in 0..<5 { #expect(try await browser.logIn(on: page, as: "eve", password: "wrong").status == 403) }
        let limited = try await browser.logIn(on: page, as: "eve", password: "wrong")
        #expect(limited.fields["Retry-After"] == "60")
        // 9 of 20 are used up.
        let (flooding, other) = try await loginPage(from: "203.0.113.1")
        for number in 0..<11 {
            #expect(try await flooding.logIn(on: other, as: "nobody \(number)", password: "wrong").status == 403)
        }
        #expect(try await flooding.logIn(on: other, as: "nobody", password: "wrong").fields["Retry-After"] == "30")
    }
}
