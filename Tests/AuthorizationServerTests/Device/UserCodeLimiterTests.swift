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
    private func guess(_ subject: String, times count: Int = 1) async throws -> Duration? {
        var wait: Duration?
        for _ in 0..<count { wait = try await limiter.begin(guesser(subject), at: now).wait }
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
}
