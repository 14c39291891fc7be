// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Limit of user codes, RFC 8628 section 5.1")
struct UserCodeLimiterTests {
    private let limiter = UserCodeLimiter(store: MemoryAuthorizationStorage())
    private let now = FixedClock().now()

    /// Enters wrong codes; returns how long the last attempt must wait.
    @discardableResult
    private func guess(
        _ subject: String,
        times count: Int = 1,
        after passed: Duration = .zero
    ) async throws -> Duration? {
        var wait: Duration?
        for _ in 0..<count { wait = try await limiter.begin(guesser(subject), at: now + passed).wait }
        return wait
    }

    /// Enters the right code of a device.
    private func enterRightCode(_ subject: String) async throws {
        let count = try await limiter.begin(guesser(subject), at: now)
        #expect(count.wait == nil)
        try await limiter.takeBack(guesser(subject), count, at: now)
    }

    private func guesser(_ subject: String) -> UserCodeLimiter.Guesser {
        UserCodeLimiter.Guesser(subject: subject, address: nil)
    }

    /// Sixty accounts guess until there is an alarm.
    private func raiseAlarm() async throws {
        for number in 1...60 { try await guess("guesser-\(number)", times: 5) }
    }

    @Test func `during an alarm, right codes of one account give no guesses to others`() async throws {
        try await raiseAlarm()
        #expect(try await guess("mallory", times: 5) == nil)
        #expect(try await guess("mallory") != nil)
        for _ in 1...5 { try await enterRightCode("accomplice") }
        #expect(try await guess("mallory") != nil)
    }

    @Test func `right codes take no earlier guesses back`() async throws {
        // More guesses than an account has during an alarm.
        #expect(try await guess("mallory", times: 10) == nil)
        for _ in 1...10 { try await enterRightCode("mallory") }
        try await raiseAlarm()
        #expect(try await guess("mallory") != nil)
    }

    @Test func `right codes count for nothing, with an alarm and without`() async throws {
        for _ in 1...30 { try await enterRightCode("ada") }
        try await raiseAlarm()
        for _ in 1...30 { try await enterRightCode("ada") }
        #expect(try await guess("ada", times: 5) == nil)
    }

    @Test func `after a clock was set back, an account waits as long as it was told, and has all guesses again`()
        async throws
    {
        #expect(try await guess("ada", times: 20) == nil)
        let back = Duration.seconds(-30 * 86_400)
        #expect(try await guess("ada", after: back) == .seconds(30))
        // All buckets count as empty now, so there is an alarm for a moment, in which a guess costs two minutes.
        #expect(try await guess("ada", after: back + .seconds(30)) == .seconds(120))
        #expect(try await guess("ada", after: back + .seconds(150)) == nil)
        #expect(try await guess("ada", times: 20, after: back + .seconds(750)) == nil)
    }

    @Test func `after a clock was set back, an alarm ends`() async throws {
        try await raiseAlarm()
        let back = Duration.seconds(-30 * 86_400)
        // This guess lets the bucket of all accounts begin to fill.
        #expect(try await guess("mallory", after: back) == nil)
        #expect(try await guess("mallory", times: 20, after: back + .seconds(600)) == nil)
    }

    @Test func `guessing in turn at two servers whose clocks differ gives no more guesses`() async throws {
        var admitted = 0
        for turn in 0..<100 {
            let difference = Duration.seconds(turn.isMultiple(of: 2) ? 0 : -59)
            if try await guess("mallory", after: difference) == nil { admitted += 1 }
        }
        #expect(admitted == 20)
    }
}
