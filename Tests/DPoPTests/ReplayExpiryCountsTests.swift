// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DPoP

@Suite("How many proofs end in which minute")
struct ReplayExpiryCountsTests {
    @Test(arguments: 0..<4)
    func `minutes in any order, of which those that are past go together`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var minutes = ReplayExpiryCounts()
        var counts: [UInt32: Int] = [:]
        var now: UInt32 = 1
        for _ in 0..<3000 {
            let minute = now + .random(in: 0..<6, using: &random)
            minutes.add(minute)
            counts[minute, default: 0] += 1
            if Int.random(in: 0..<40, using: &random) == 0 {
                now += .random(in: 0...3, using: &random)
                let past = counts.filter { $0.key < now }
                #expect(minutes.removeAll(before: now) == past.values.reduce(0, +))
                for minute in past.keys { counts[minute] = nil }
            }
            #expect(minutes.total == counts.values.reduce(0, +))
        }
        #expect(minutes.removeAll(before: .max) == counts.values.reduce(0, +))
        #expect(minutes.total == 0)
    }

    @Test func `the last minute there is never ends`() {
        var minutes = ReplayExpiryCounts()
        for minute in [UInt32.max, 1, .max, 1] { minutes.add(minute) }
        #expect(minutes.removeAll(before: .max) == 2)
        #expect(minutes.removeAll(before: .max) == 0)
        #expect(minutes.total == 2)
    }
}
