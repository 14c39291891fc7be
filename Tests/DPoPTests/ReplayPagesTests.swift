// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DPoP

@Suite struct `Pages of the replay store` {
    private static let blockSize = 8192

    @Test func `blocks do not touch one another, and pages go back when all their blocks have come back`() {
        var random = SeededGenerator(seed: 7)
        var pages = ReplayPages(blockSize: Self.blockSize)
        // Three pages and a bit of a fourth.
        var blocks: [UnsafeMutableRawPointer] = unsafe []
        for number in 0..<800 {
            let block = unsafe pages.takeBlock()
            unsafe block.initializeMemory(as: Int.self, repeating: number, count: Self.blockSize / 8)
            unsafe blocks.append(block)
        }
        #expect(pages.count == 4)
        for number in 0..<800 {
            let words = unsafe UnsafeBufferPointer(
                start: blocks[number].assumingMemoryBound(to: Int.self),
                count: Self.blockSize / 8
            )
            #expect(unsafe words.allSatisfy { $0 == number })
        }
        unsafe blocks.shuffle(using: &random)
        while let block = unsafe blocks.popLast() {
            unsafe pages.giveBack(block)
            #expect(pages.count >= 1)
        }
        // One is kept for the next block.
        #expect(pages.count == 1)
        pages.deallocateSpare()
        #expect(pages.count == 0)
    }

    @Test func `a block that came back is the next to go out`() {
        var pages = ReplayPages(blockSize: Self.blockSize)
        let first = unsafe pages.takeBlock()
        let second = unsafe pages.takeBlock()
        unsafe pages.giveBack(first)
        let third = unsafe pages.takeBlock()
        #expect(unsafe third == first)
        unsafe pages.giveBack(second)
        unsafe pages.giveBack(third)
        #expect(pages.count == 1)
        pages.deallocateSpare()
    }
}
