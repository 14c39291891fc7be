// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Testing

@testable import HTTPServer

@Suite("HTTP listener: places for connections")
struct ConnectionBalancerTests {
    @Test func `places end at the limit, those that may still come among them`() {
        let places = ConnectionBalancer(threads: 2, limit: 3)
        #expect([places.take(), places.take()] == [true, true])
        #expect([places.give(askedBy: 1), places.give(askedBy: 1)] == [1, 0])
        #expect([places.take(), places.take()] == [true, false])
        places.giveBack(of: nil)
        #expect(places.take())
        #expect(places.give(askedBy: 0) == 0)
        places.giveBack(of: 0)
        places.giveBack(of: 0)
        #expect([places.take(), places.take(), places.take()] == [true, true, false])
        #expect([places.give(askedBy: 1), places.give(askedBy: 1)] == [0, 1])
    }

    @Test func `who gives a place back learns once that somebody found none`() {
        let places = ConnectionBalancer(threads: 1, limit: 1)
        #expect(places.take())
        #expect(!places.giveBack(of: nil))
        #expect([places.take(), places.take()] == [true, false])
        #expect(places.giveBack(of: nil))
        #expect(places.take())
        #expect(!places.giveBack(of: nil))
    }
}
#endif
