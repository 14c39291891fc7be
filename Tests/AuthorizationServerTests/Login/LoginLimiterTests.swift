// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Limit of login attempts, NIST SP 800-63B section 5.2.2")
struct LoginLimiterTests {
    private let limiter = LoginLimiter()
    private let start = FixedClock().now()

    private func begin(_ count: Int, at now: Timestamp) -> [Duration?] {
        (0..<count).map { _ in limiter.wait(for: "ada", at: now) }
    }

    @Test func `the eleventh attempt waits a minute, another name does not`() {
        #expect(begin(10, at: start) == Array(repeating: nil, count: 10))
        #expect(limiter.wait(for: "ada", at: start + .seconds(20)) == .seconds(40))
        #expect(limiter.wait(for: "bob", at: start) == nil)
        #expect(limiter.wait(for: "ada", at: start + .seconds(60)) == nil)
        #expect(limiter.wait(for: "ada", at: start + .seconds(60)) == .seconds(120))
    }

    @Test func `a right password makes the failures forgotten`() throws {
        _ = begin(9, at: start)
        limiter.succeed(try #require(limiter.key(for: "ada", at: start)))
        #expect(begin(10, at: start) == Array(repeating: nil, count: 10))
        #expect(limiter.wait(for: "ada", at: start) != nil)
    }

    @Test func `an attempt that was taken back does not count`() throws {
        for _ in 0..<20 {
            limiter.takeBack(try #require(limiter.key(for: "ada", at: start)))
        }
        #expect(begin(10, at: start) == Array(repeating: nil, count: 10))
    }

    @Test func `pauses double up to eight minutes`() {
        _ = begin(10, at: start)
        var now = start
        for minutes in [1, 2, 4, 8, 8, 8] {
            #expect(limiter.wait(for: "ada", at: now) == .seconds(60 * minutes))
            now = now + .seconds(60 * minutes)
            #expect(limiter.wait(for: "ada", at: now) == nil)
        }
    }

    @Test func `after an hour without an attempt all are free again`() {
        _ = begin(10, at: start)
        #expect(begin(11, at: start + .seconds(3599)).filter { $0 == nil }.count == 1)
        #expect(begin(11, at: start + .seconds(2 * 3600)).filter { $0 == nil }.count == 10)
    }

    @Test func `guesses from elsewhere keep nobody out of a browser in which they have signed in before`() throws {
        for _ in 0..<10 { #expect(limiter.wait(for: "ada", at: start) == nil) }
        #expect(limiter.wait(for: "ada", at: start) != nil)
        // There failures count by themselves; after ten they count with all others.
        for _ in 0..<10 { #expect(limiter.wait(for: "ada", in: "home", at: start) == nil) }
        #expect(limiter.wait(for: "ada", in: "home", at: start) == .seconds(60))
        let key = try #require(limiter.key(for: "ada", in: "home", at: start + .seconds(60)))
        limiter.succeed(key, in: "home")
        for _ in 0..<10 { #expect(limiter.wait(for: "ada", in: "home", at: start) == nil) }
        #expect(limiter.wait(for: "bob", at: start) == nil)
    }

    @Test func `after ten failures a known browser counts with all others, until a password proves right`() throws {
        for _ in 0..<10 { #expect(limiter.wait(for: "ada", in: "home", at: start) == nil) }
        // As one of all others, who have not failed yet: they share these ten attempts.
        for _ in 0..<5 { #expect(limiter.wait(for: "ada", in: "home", at: start) == nil) }
        for _ in 0..<5 { #expect(limiter.wait(for: "ada", at: start) == nil) }
        #expect(limiter.wait(for: "ada", in: "home", at: start) == .seconds(60))
        #expect(limiter.wait(for: "ada", in: "office", at: start) == nil)
    }

    @Test func `a clock that was set back makes nobody wait longer than a minute`() {
        _ = begin(10, at: start)
        #expect(limiter.wait(for: "ada", at: start - .seconds(86_400)) == .seconds(60))
    }

    @Test func `remembers no more names than there is room for, first those that were guessed at often`() {
        let limiter = LoginLimiter(maximumNames: 100)
        for _ in 0..<10 { _ = limiter.wait(for: "ada", at: start) }
        for number in 0..<1000 {
            _ = limiter.wait(for: "name \(number)", at: start)
            #expect(limiter.count <= 100)
        }
        #expect(limiter.wait(for: "ada", at: start) != nil)
    }

    @Test func `stays within its room also when every name was guessed at often`() {
        let limiter = LoginLimiter(maximumNames: 100)
        for number in 0..<500 {
            for _ in 0..<10 { _ = limiter.wait(for: "name \(number)", at: start) }
            #expect(limiter.count <= 100)
        }
    }
}

extension LoginLimiter {
    /// How long an attempt must wait; `nil` if it may proceed.
    fileprivate func wait(for username: String, in browser: String? = nil, at now: Timestamp) -> Duration? {
        if case .wait(let wait) = begin(for: username, in: browser, at: now) { wait } else { nil }
    }

    /// The key of an attempt that may proceed.
    fileprivate func key(for username: String, in browser: String? = nil, at now: Timestamp) -> Key? {
        if case .counted(let key) = begin(for: username, in: browser, at: now) { key } else { nil }
    }
}
