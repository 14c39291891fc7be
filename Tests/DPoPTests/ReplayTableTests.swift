// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DPoP

@Suite("What a shard of the replay store remembers, in bounded steps")
struct ReplayTableTests {
    /// A table and what it must hold, kept as simply as can be.
    private struct Checked: ~Copyable {
        var table = ReplayTable()
        var ends: [UInt64: (owner: UInt64, minute: UInt32)] = [:]
        var now: UInt32 = 0

        mutating func insert(_ hash: UInt64, of owner: UInt64, until minute: UInt32) {
            table.insert(hash, of: owner, until: minute)
            ends[hash] = (owner, max(minute, now))
        }

        mutating func advance(to minute: UInt32) {
            let past = ends.filter { $0.value.minute < minute }
            let forgotten = table.advance(to: minute)
            #expect(forgotten == past.count)
            for hash in past.keys { ends[hash] = nil }
            now = minute
        }

        borrowing func check(owners: some Sequence<UInt64>, hashes: some Sequence<UInt64>) {
            let count = table.count
            #expect(count == ends.count)
            for hash in hashes {
                let isHeld = table.contains(hash)
                #expect(isHeld == (ends[hash] != nil))
            }
            for owner in owners {
                let count = table.count(of: owner)
                #expect(count == ends.values.count { $0.owner == owner })
            }
        }
    }

    @Test(arguments: 0..<8)
    func `whatever comes and goes, it holds what it must`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var checked = Checked()
        let owners = (0..<12).map { _ in random.next() }
        let hashes = (0..<1500).map { _ in random.next() }
        for (number, hash) in hashes.enumerated() {
            for _ in 0..<Int.random(in: 0...2, using: &random) { checked.table.collect() }
            let owner = owners[Int.random(in: 0..<owners.count, using: &random)]
            checked.insert(hash, of: owner, until: checked.now + .random(in: 0..<7, using: &random))
            if Int.random(in: 0..<60, using: &random) == 0 {
                checked.advance(to: checked.now + .random(in: 1...3, using: &random))
            }
            if number % 100 == 99 { checked.check(owners: owners, hashes: hashes) }
        }
        checked.advance(to: checked.now + 20)
        checked.check(owners: owners, hashes: hashes)
        checked.table.collect()
        let count = checked.table.recordCount
        #expect(count == 0)
    }

    @Test(arguments: [1, 1_000_000])
    func `40 bytes for each proof, of one key or each of its own, and at most 48 with all that belongs to it`(
        owners: UInt64
    ) {
        #expect(MemoryLayout<ReplaySlot>.stride == 40)
        var random = SeededGenerator(seed: owners)
        var table = ReplayTable()
        for number in 1...40_000 as ClosedRange<UInt64> {
            table.insert(random.next(), of: number % owners, until: 5)
            let (bytes, count) = (table.byteCount, table.count)
            if number >= 4000 { #expect(bytes <= 48 * count) }
        }
    }

    @Test func `a step removes three records at most, however much is past`() {
        var random = SeededGenerator(seed: 1)
        var table = ReplayTable()
        for _ in 0..<5000 { table.insert(random.next(), of: random.next(), until: 1) }
        table.insert(0, of: 0, until: 9)
        let forgotten = table.advance(to: 2)
        #expect(forgotten == 5000)
        var steps = 0
        while table.recordCount > 1 {
            let before = table.recordCount
            table.collect()
            let after = table.recordCount
            #expect(before - after <= 3)
            steps += 1
            guard steps < 5000 else { break }
        }
        #expect(steps < 2000)
        let isHeld = table.contains(0)
        #expect(isHeld)
    }

    @Test func `memory is given back block by block, when proofs are past`() {
        var random = SeededGenerator(seed: 2)
        var table = ReplayTable()
        for _ in 0..<20_000 { table.insert(random.next(), of: random.next(), until: 1) }
        let most = table.byteCount
        _ = table.advance(to: 2)
        for _ in 0..<60 {
            let before = table.byteCount
            table.collect()
            let after = table.byteCount
            #expect(before - after <= ReplaySlots.blockCount * 40)
        }
        let least = table.byteCount
        #expect(least < most / 10)
        table.insert(1, of: 1, until: 3)
        let isHeld = table.contains(1)
        #expect(isHeld)
    }

    @Test func `under a constant load the past that was not removed yet stays below an eighth`() {
        var random = SeededGenerator(seed: 3)
        var table = ReplayTable()
        for minute in 0..<20 as Range<UInt32> {
            _ = table.advance(to: minute)
            let limit = minute > 6 ? table.count + 2000 : Int.max
            for _ in 0..<1000 {
                table.collect()
                table.insert(random.next(), of: random.next(), until: minute + 5)
                let count = table.recordCount
                #expect(count <= limit)
            }
        }
        let (records, count) = (table.recordCount, table.count)
        #expect(records * 8 <= count * 9)
    }

    @Test func `a time that goes back is not gone back to`() {
        var table = ReplayTable()
        _ = table.advance(to: 5)
        table.insert(1, of: 1, until: 3)
        let forgotten = table.advance(to: 4)
        #expect(forgotten == 0)
        let (isHeld, count) = (table.contains(1), table.count(of: 1))
        #expect(isHeld)
        #expect(count == 1)
    }
}
