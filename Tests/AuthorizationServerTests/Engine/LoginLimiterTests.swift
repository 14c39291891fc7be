// SPDX-License-Identifier: Apache-2.0

import JOSE
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
        #expect(limiter.begin(for: "ada", at: start + .seconds(60)) == .seconds(60))
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

    @Test func `after a quarter of an hour without an attempt all are free again`() {
        _ = begin(10, at: start)
        #expect(begin(11, at: start + .seconds(900)).filter { $0 == nil }.count == 10)
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
