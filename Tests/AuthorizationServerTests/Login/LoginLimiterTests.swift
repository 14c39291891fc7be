// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Limit of login attempts, NIST SP 800-63B section 5.2.2")
struct LoginLimiterTests {
    private let limiter = LoginLimiter(store: MemoryAuthorizationStorage())
    private let start = FixedClock().now()

    private func begin(_ count: Int, in device: String? = nil, at now: Timestamp) async throws -> [Duration?] {
        var waits: [Duration?] = []
        for _ in 0..<count { waits.append(try await limiter.wait(for: "ada", in: device, at: now)) }
        return waits
    }

    @Test func `the eleventh attempt waits a minute, another name does not`() async throws {
        #expect(try await begin(10, at: start) == Array(repeating: nil, count: 10))
        #expect(try await limiter.wait(for: "ada", at: start + .seconds(20)) == .seconds(40))
        #expect(try await limiter.wait(for: "bob", at: start) == nil)
        #expect(try await limiter.wait(for: "ada", at: start + .seconds(60)) == nil)
        #expect(try await limiter.wait(for: "ada", at: start + .seconds(60)) == .seconds(120))
    }

    @Test func `a right password makes the failures forgotten`() async throws {
        _ = try await begin(9, at: start)
        try await limiter.succeed(try #require(await limiter.key(for: "ada", at: start)), at: start)
        #expect(try await begin(10, at: start) == Array(repeating: nil, count: 10))
        #expect(try await limiter.wait(for: "ada", at: start) != nil)
    }

    @Test func `an attempt that was taken back does not count`() async throws {
        for _ in 0..<20 {
            try await limiter.takeBack(try #require(await limiter.key(for: "ada", at: start)), at: start)
        }
        #expect(try await begin(9, at: start) == Array(repeating: nil, count: 9))
        for _ in 0..<3 {
            try await limiter.takeBack(try #require(await limiter.key(for: "ada", at: start)), at: start)
        }
        #expect(try await begin(2, at: start) == [nil, .seconds(60)])
    }

    @Test func `pauses double up to eight minutes`() async throws {
        _ = try await begin(10, at: start)
        var now = start
        for minutes in [1, 2, 4, 8, 8, 8] {
            #expect(try await limiter.wait(for: "ada", at: now) == .seconds(60 * minutes))
            now = now + .seconds(60 * minutes)
            #expect(try await limiter.wait(for: "ada", at: now) == nil)
        }
    }

    @Test func `after an hour without an attempt all are free again`() async throws {
        _ = try await begin(10, at: start)
        #expect(try await begin(11, at: start + .seconds(3599)).filter { $0 == nil }.count == 1)
        #expect(try await begin(11, at: start + .seconds(2 * 3600)).filter { $0 == nil }.count == 10)
    }

    @Test func `guesses from elsewhere keep nobody out of a browser in which they have signed in before`() async throws
    {
        #expect(try await begin(10, at: start) == Array(repeating: nil, count: 10))
        #expect(try await limiter.wait(for: "ada", at: start) != nil)
        // There failures count by themselves; after ten they count with all others.
        #expect(try await begin(10, in: "home", at: start) == Array(repeating: nil, count: 10))
        #expect(try await limiter.wait(for: "ada", in: "home", at: start) == .seconds(60))
        let key = try #require(await limiter.key(for: "ada", in: "home", at: start + .seconds(60)))
        try await limiter.succeed(key, in: "home", at: start + .seconds(60))
        #expect(try await begin(10, in: "home", at: start) == Array(repeating: nil, count: 10))
        #expect(try await limiter.wait(for: "bob", at: start) == nil)
    }

    @Test func `after ten failures a known browser counts with all others, until a password proves right`() async throws
    {
        #expect(try await begin(10, in: "home", at: start) == Array(repeating: nil, count: 10))
        // As one of all others, who have not failed yet: they share these ten attempts.
        #expect(try await begin(5, in: "home", at: start) == Array(repeating: nil, count: 5))
        #expect(try await begin(5, at: start) == Array(repeating: nil, count: 5))
        #expect(try await limiter.wait(for: "ada", in: "home", at: start) == .seconds(60))
        #expect(try await limiter.wait(for: "ada", in: "office", at: start) == nil)
    }

    @Test func `a clock that was set back makes nobody wait longer than a minute`() async throws {
        _ = try await begin(10, at: start)
        let back = start - .seconds(30 * 86_400)
        #expect(try await limiter.wait(for: "ada", at: back) == .seconds(60))
        #expect(try await limiter.wait(for: "ada", at: back + .seconds(59)) == .seconds(1))
        #expect(try await limiter.wait(for: "ada", at: back + .seconds(60)) == nil)
        // It was one more failure, of this time.
        #expect(try await limiter.wait(for: "ada", at: back + .seconds(60)) == .seconds(120))
    }

    @Test func `after a clock was set back, failures are forgotten an hour later`() async throws {
        _ = try await begin(10, at: start)
        let back = start - .seconds(30 * 86_400)
        #expect(try await limiter.wait(for: "ada", at: back) == .seconds(60))
        #expect(try await begin(10, at: back + .seconds(3600)) == Array(repeating: nil, count: 10))
    }

    @Test func `guessing in turn at two servers whose clocks differ gives no more guesses`() async throws {
        _ = try await begin(10, at: start)
        var admitted = 0
        // At one of them in each second of an hour.
        for second in 0..<3600 {
            let difference = Duration.seconds(second.isMultiple(of: 2) ? 0 : -30)
            let now = start + .seconds(second) + difference
            if try await limiter.wait(for: "ada", at: now) == nil { admitted += 1 }
        }
        // After 1, 2 and 4 minutes, then after 8 minutes each: as many as at one server.
        #expect(admitted == 9)
    }

    @Test func `no name and device are counted as another name`() async throws {
        for _ in 0..<10 { _ = try await limiter.wait(for: "a", in: "b", at: start) }
        for name in ["ab", "a1:b", "a", "b"] { #expect(try await limiter.wait(for: name, at: start) == nil) }
    }
}

extension LoginLimiter {
    /// How long an attempt must wait; `nil` if it may proceed.
    fileprivate func wait(for username: String, in browser: String? = nil, at now: Timestamp) async throws -> Duration?
    {
        let admission = try await begin(for: username, of: nil, in: browser, at: now)
        return if case .wait(let wait) = admission { wait } else { nil }
    }

    /// The key of an attempt that may proceed.
    fileprivate func key(for username: String, in browser: String? = nil, at now: Timestamp) async throws -> Key? {
        let admission = try await begin(for: username, of: nil, in: browser, at: now)
        return if case .counted(let key) = admission { key } else { nil }
    }
}
