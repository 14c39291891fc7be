// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Limit of login attempts, NIST SP 800-63B section 5.2.2")
struct LoginLimiterTests {
    private let limiter = LoginLimiter()
    private let start = FixedClock().now()

    private func begin(_ count: Int, at now: Timestamp) -> [Duration?] {
        (0..<count).map { _ in limiter.begin(for: "ada", at: now) }
    }

    @Test func `the eleventh attempt waits a minute, another name does not`() {
        #expect(begin(10, at: start) == Array(repeating: nil, count: 10))
        #expect(limiter.begin(for: "ada", at: start + .seconds(20)) == .seconds(40))
        #expect(limiter.begin(for: "bob", at: start) == nil)
        #expect(limiter.begin(for: "ada", at: start + .seconds(60)) == nil)
        #expect(limiter.begin(for: "ada", at: start + .seconds(60)) == .seconds(120))
    }

    @Test func `a right password makes the failures forgotten`() {
        _ = begin(9, at: start)
        limiter.succeed(for: "ada")
        #expect(begin(10, at: start) == Array(repeating: nil, count: 10))
        #expect(limiter.begin(for: "ada", at: start) != nil)
    }

    @Test func `an attempt that was taken back does not count`() {
        for _ in 0..<20 {
            #expect(limiter.begin(for: "ada", at: start) == nil)
            limiter.takeBack(for: "ada")
        }
        limiter.takeBack(for: "nobody")
        #expect(begin(10, at: start) == Array(repeating: nil, count: 10))
    }

    @Test func `pauses double up to eight minutes`() {
        _ = begin(10, at: start)
        var now = start
        for minutes in [1, 2, 4, 8, 8, 8] {
            #expect(limiter.begin(for: "ada", at: now) == .seconds(60 * minutes))
            now = now + .seconds(60 * minutes)
            #expect(limiter.begin(for: "ada", at: now) == nil)
        }
    }

    @Test func `after an hour without an attempt all are free again`() {
        _ = begin(10, at: start)
        #expect(begin(11, at: start + .seconds(3599)).filter { $0 == nil }.count == 1)
        #expect(begin(11, at: start + .seconds(2 * 3600)).filter { $0 == nil }.count == 10)
    }

    @Test func `guesses from elsewhere keep nobody out of where they have signed in before`() throws {
        let home = try #require(IPAddress(parsing: "2001:db8:1:1::5"))
        let sameHome = try #require(IPAddress(parsing: "2001:db8:1:1::6"))
        let attacker = try #require(IPAddress(parsing: "203.0.113.9"))
        limiter.succeed(for: "ada", from: home)
        for _ in 0..<10 { #expect(limiter.begin(for: "ada", from: attacker, at: start) == nil) }
        #expect(limiter.begin(for: "ada", from: attacker, at: start) != nil)
        #expect(limiter.begin(for: "ada", from: nil, at: start) != nil)
        // At home failures count by themselves, in the whole network of the home.
        for _ in 0..<10 { #expect(limiter.begin(for: "ada", from: sameHome, at: start) == nil) }
        #expect(limiter.begin(for: "ada", from: home, at: start) != nil)
        #expect(limiter.begin(for: "bob", from: attacker, at: start) == nil)
    }

    @Test func `a clock that was set back makes nobody wait longer than a minute`() {
        _ = begin(10, at: start)
        #expect(limiter.begin(for: "ada", at: start - .seconds(86_400)) == .seconds(60))
    }

    @Test func `remembers no more names than there is room for, first those that were guessed at often`() {
        let limiter = LoginLimiter(maximumNames: 100)
        for _ in 0..<10 { _ = limiter.begin(for: "ada", at: start) }
        for number in 0..<1000 {
            _ = limiter.begin(for: "name \(number)", at: start)
            #expect(limiter.count <= 100)
        }
        #expect(limiter.begin(for: "ada", at: start) != nil)
    }

    @Test func `stays within its room also when every name was guessed at often`() {
        let limiter = LoginLimiter(maximumNames: 100)
        for number in 0..<500 {
            for _ in 0..<10 { _ = limiter.begin(for: "name \(number)", at: start) }
            #expect(limiter.count <= 100)
        }
    }
}
