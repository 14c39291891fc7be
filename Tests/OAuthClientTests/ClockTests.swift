// SPDX-License-Identifier: Apache-2.0

import JOSE
import TestSupport
import Testing

@testable import OAuthClient

@Suite("Trap 45: the time of the server")
struct ClockTests {
    private let base = FixedClock(secondsSince1970: 784_111_777)

    @Test func `reads the date of RFC 9110 section 5 6 7`() {
        #expect(HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")?.time == Timestamp(secondsSince1970: 784_111_777))
        #expect(HTTPDate("Thu, 29 Feb 2024 23:59:59 GMT")?.time == Timestamp(secondsSince1970: 1_709_251_199))
        #expect(HTTPDate("Thu, 01 Jan 1970 00:00:00 GMT")?.time == Timestamp(secondsSince1970: 0))
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 6x Nov 1994 08:49:37 GMT",
        "Sün, 06 Nov 1994 08:49:37 GMT",
    ])
    func `refuses every other form`(_ text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test func `small differences mean nothing`() {
        let clock = ServerAdjustedClock(base)
        #expect(!clock.learn(date: "Sun, 06 Nov 1994 08:49:41 GMT", sent: base.now()))
        #expect(clock.now() == base.now())
    }

    @Test func `a clock that is off is set, and set back`() {
        let clock = ServerAdjustedClock(base)
        #expect(clock.learn(date: "Sun, 06 Nov 1994 08:59:37 GMT", sent: base.now()))
        #expect(clock.now() - base.now() == .milliseconds(600_500))
        #expect(!clock.learn(date: "Sun, 06 Nov 1994 08:59:39 GMT", sent: base.now()))
        #expect(clock.learn(date: "Sun, 06 Nov 1994 08:49:37 GMT", sent: base.now()))
        #expect(clock.now() == base.now())
    }

    @Test func `a day is the most that is believed`() {
        let clock = ServerAdjustedClock(base)
        #expect(!clock.learn(date: "Mon, 07 Nov 1994 08:49:38 GMT", sent: base.now()))
        #expect(clock.learn(date: "Mon, 07 Nov 1994 08:49:36 GMT", sent: base.now()))
    }

    @Test func `a slow exchange says nothing`() {
        let clock = ServerAdjustedClock(base)
        #expect(!clock.learn(date: "Sun, 06 Nov 1994 08:59:37 GMT", sent: base.now() - .seconds(10)))
        #expect(!clock.learn(date: "Sun, 06 Nov 1994 08:59:37 GMT", sent: base.now() + .seconds(1)))
        #expect(!clock.learn(date: nil, sent: base.now()))
    }
}
