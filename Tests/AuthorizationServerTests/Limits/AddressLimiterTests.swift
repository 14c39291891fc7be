// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Limits by address")
struct AddressLimiterTests {
    private let start = FixedClock().now()
    private let address = IPAddress(parsing: "192.0.2.1")
    private let limit = RateLimit(10, per: .seconds(60))

    private func takes(_ limiter: AddressLimiter, _ count: Int, _ address: IPAddress?, at now: Timestamp) -> Int {
        (0..<count).filter { _ in limiter.take(address, at: now) == nil }.count
    }

    @Test func `so many at once, then one in each part of the period`() {
        let limiter = AddressLimiter(limit)
        #expect(takes(limiter, 20, address, at: start) == 10)
        #expect(limiter.take(address, at: start) == .seconds(6))
        #expect(limiter.take(address, at: start + .milliseconds(5500)) == .milliseconds(500))
        #expect(takes(limiter, 5, address, at: start + .seconds(6)) == 1)
        #expect(takes(limiter, 20, address, at: start + .seconds(36)) == 5)
        #expect(takes(limiter, 20, address, at: start + .seconds(600)) == 10)
    }

    @Test func `attack: a request that began earlier and was held up gives nothing back`() {
        let limiter = AddressLimiter(limit)
        #expect(takes(limiter, 10, address, at: start + .seconds(20)) == 10)
        #expect(limiter.take(address, at: start) != nil)
        #expect(limiter.take(address, at: start + .seconds(20)) == .seconds(6))
    }

    @Test func `what was given back was not counted`() {
        let limiter = AddressLimiter(limit)
        for _ in 0..<100 {
            #expect(limiter.take(address, at: start) == nil)
            limiter.giveBack(address)
        }
        limiter.giveBack(IPAddress(parsing: "192.0.2.99"))
        #expect(takes(limiter, 20, address, at: start) == 10)
    }

    @Test func `an IPv6 network is one, an IPv4 address is one`() {
        let limiter = AddressLimiter(limit)
        for number in 0..<20 {
            let wait = limiter.take(IPAddress(parsing: "2001:db8::\(number)"), at: start)
            #expect((wait == nil) == (number < 10))
        }
        #expect(limiter.take(IPAddress(parsing: "2001:db8:0:1::1"), at: start) == nil)
        #expect(takes(limiter, 10, address, at: start) == 10)
        #expect(limiter.take(IPAddress(parsing: "::ffff:192.0.2.1"), at: start) != nil)
        #expect(limiter.take(IPAddress(parsing: "192.0.2.2"), at: start) == nil)
    }

    @Test func `without a limit or an address nobody waits`() {
        #expect(takes(AddressLimiter(nil), 1000, address, at: start) == 1000)
        #expect(takes(AddressLimiter(limit), 1000, nil, at: start) == 1000)
    }

    @Test func `a clock that was set back makes nobody wait longer than before, and after one period nobody`() {
        let limiter = AddressLimiter(limit)
        _ = takes(limiter, 10, address, at: start)
        let back = start - .seconds(86_400)
        #expect(limiter.take(address, at: back) == .seconds(6))
        #expect(takes(limiter, 5, address, at: back + .seconds(6)) == 1)
        #expect(limiter.take(address, at: back + .seconds(6)) == .seconds(6))
        #expect(takes(limiter, 20, address, at: back + .seconds(66)) == 10)
    }

    @Test func `an address that tries all the time while the clock is behind waits as long as it was told`() {
        let limiter = AddressLimiter(limit)
        _ = takes(limiter, 10, address, at: start)
        let back = start - .seconds(30 * 86_400)
        let admitted = (0...60).filter { limiter.take(address, at: back + .seconds($0)) == nil }
        #expect(admitted == Array(stride(from: 6, through: 60, by: 6)))
    }

    @Test func `one request before a clock was set back costs no more than one period`() {
        let limiter = KeyedLimiter<String>(limit)
        #expect(limiter.take("a", at: start) == nil)
        let back = start - .seconds(86_400)
        _ = limiter.take("a", at: back)
        #expect((0..<20).filter { _ in limiter.take("a", at: back + .seconds(60)) == nil }.count == 10)
    }

    @Test func `remembers no more addresses than there is room for, those in use first`() {
        let limiter = AddressLimiter(limit, maximumAddresses: 100)
        _ = takes(limiter, 10, address, at: start)
        for number in 0..<1000 {
            #expect(limiter.take(IPAddress(parsing: "10.0.\(number / 250).\(number % 250)"), at: start) == nil)
            #expect(limiter.count <= 100)
        }
        #expect(limiter.take(address, at: start) != nil)
    }

    @Test func `stays within its room also when every address has used its limit up`() {
        let limiter = AddressLimiter(limit, maximumAddresses: 100)
        for number in 0..<500 {
            _ = takes(limiter, 10, IPAddress(parsing: "10.0.\(number / 250).\(number % 250)"), at: start)
            #expect(limiter.count <= 100)
        }
    }

    @Test func `a limit that cannot be kept is none`() {
        for limit in [
            RateLimit(0, per: .seconds(1)), RateLimit(-1, per: .seconds(1)), RateLimit(1, per: .milliseconds(999)),
            RateLimit(1001, per: .seconds(1)), RateLimit(1, per: .seconds(86_401)),
        ] { #expect(limit == nil) }
        #expect(RateLimit(1000, per: .seconds(1)) != nil)
    }
}
