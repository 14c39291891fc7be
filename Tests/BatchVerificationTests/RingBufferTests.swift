// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import BatchVerification

@Suite("Who waits, the oldest first")
struct RingBufferTests {
    @Test func `everybody is taken once, in the order in which all came, however many come and go`() {
        var line = RingBuffer<Int>()
        var generator = SeededGenerator(seed: 11)
        var (came, went) = (0, 0)
        for _ in 0..<2000 {
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                line.append(came)
                came += 1
            }
            let limit = Int.random(in: 0...40, using: &generator)
            let taken = line.takeOldest(limit)
            #expect(taken == Array(went..<went + min(limit, came - went)))
            went += taken.count
            #expect(line.count == came - went)
            #expect(line.isEmpty == (came == went))
        }
        #expect(came > 30_000)
    }

    @Test func `what was taken is not kept`() {
        final class Thing {}
        var line = RingBuffer<Thing>()
        line.append(Thing())
        weak let thing = line.takeOldest(1).first
        #expect(thing == nil)
        #expect(line.takeOldest(1).isEmpty)
    }
}
