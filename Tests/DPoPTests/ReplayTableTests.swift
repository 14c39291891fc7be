// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DPoP

@Suite("What a shard of the replay store remembers, in bounded steps", .computesForLong)
struct ReplayTableTests {
    /// A table and what it must hold, kept as simply as can be.
    private struct Checked: ~Copyable {
        var table = ReplayTable()
        var ends: [UInt64: (owner: UInt64, minute: UInt32)] = [:]
        var now: UInt32 = 0

        mutating func insert(_ hash: UInt64, of owner: UInt64, until minute: UInt32) {
            let isNew = ends[hash] == nil
            #expect(table.insert(hash, of: owner, until: minute) == (isNew ? .inserted : .replayed))
            if isNew { ends[hash] = (owner, max(minute, now)) }
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
            let owner = owners[Int.random(in: 0..<owners.count, using: &random)]
            checked.insert(hash, of: owner, until: checked.now + .random(in: 0..<7, using: &random))
            // One that came before: still held, or past and new again.
            let other = hashes[Int.random(in: 0...number, using: &random)]
            checked.insert(other, of: owner, until: checked.now + .random(in: 0..<7, using: &random))
            if Int.random(in: 0..<60, using: &random) == 0 {
                checked.advance(to: checked.now + .random(in: 1...3, using: &random))
            }
            if number % 100 == 99 { checked.check(owners: owners, hashes: hashes) }
        }
        checked.advance(to: checked.now + 20)
        checked.check(owners: owners, hashes: hashes)
    }

    @Test func `it holds what it must in every moment of a move, to more slots and to fewer`() {
        var random = SeededGenerator(seed: 9)
        var checked = Checked()
        let hashes = (0..<700).map { _ in random.next() as UInt64 }
        var moments = 0
        for (number, hash) in hashes.enumerated() {
            checked.insert(hash, of: hash, until: number < 600 ? 1 : 9)
            guard checked.table.isMoving else { continue }
            moments += 1
            checked.check(owners: hashes[0..<1], hashes: hashes)
        }
        #expect(moments > 10)
        moments = 0
        checked.advance(to: 2)
        for hash in 0..<60 as Range<UInt64> {
            checked.insert(hash << 58, of: hash << 57, until: 9)
            if checked.table.isMoving { moments += 1 }
            checked.check(owners: hashes[600..<604], hashes: hashes)
        }
        #expect(moments > 3)
    }

    /// Nobody can choose hashes, since they are seeded; were it otherwise, it would be slower and no less right.
    @Test(arguments: [0, .max - 2000, 1 << 63, 0xFFFF << 40] as [UInt64])
    func `hashes side by side, all for one slot`(first: UInt64) {
        var checked = Checked()
        for number in 0..<600 as Range<UInt64> {
            checked.insert(first + number, of: first + number / 2, until: UInt32(number % 5))
            checked.insert(first + number / 3, of: 1, until: 7)
        }
        checked.check(owners: first..<first + 300, hashes: first..<first + 700)
        checked.advance(to: 3)
        checked.check(owners: first..<first + 300, hashes: first..<first + 700)
        for number in 600..<1200 as Range<UInt64> { checked.insert(first + number, of: first, until: 4) }
        checked.check(owners: first..<first + 300, hashes: first..<first + 1300)
    }

    @Test func `a key may have proofs that end in a thousand different minutes`() {
        var checked = Checked()
        for number in 1...1000 as ClosedRange<UInt64> { checked.insert(number << 50, of: 5, until: UInt32(number)) }
        checked.check(owners: [5], hashes: [1 << 50, 2 << 50])
        checked.advance(to: 990)
        checked.check(owners: [5], hashes: [989 << 50, 990 << 50, 1000 << 50])
    }

    @Test func `a key that has as many as it may have gets no more, until some are past`() {
        var table = ReplayTable()
        for hash in 1...3 as ClosedRange<UInt64> {
            let result = table.insert(hash << 60, of: 1, until: UInt32(hash), limit: 3)
            #expect(result == .inserted)
        }
        var (refused, replayed) = (
            table.insert(4 << 60, of: 1, until: 9, limit: 3), table.insert(1 << 60, of: 1, until: 9)
        )
        #expect(refused == .full)
        #expect(replayed == .replayed)
        _ = table.advance(to: 2)
        refused = table.insert(4 << 60, of: 1, until: 9, limit: 3)
        #expect(refused == .inserted)
        replayed = table.insert(5 << 60, of: 1, until: 9, limit: 3)
        #expect(replayed == .full)
        let isAsked = table.insert(6 << 60, of: 2, until: 9) { false }
        #expect(isAsked == .full)
        let count = table.count
        #expect(count == 3)
    }

    @Test(arguments: [1, 500, 5000, 1_000_000])
    func `at most 48 bytes for each proof, of one key or each of its own or between, with all`(owners: UInt64) {
        #expect(MemoryLayout<ProofEntry>.stride == 12)
        #expect(MemoryLayout<OwnerEntry>.stride == 16)
        var random = SeededGenerator(seed: owners)
        var table = ReplayTable()
        for number in 1...40_000 as ClosedRange<UInt64> {
            let owner = number % owners &* 0x9E37_79B9_7F4A_7C15
            let result = table.insert(random.next(), of: owner, until: 5)
            #expect(result == .inserted)
            let (bytes, count) = (table.byteCount, table.count)
            if number >= 4000 { #expect(bytes <= (owners == 1 ? 36 : 48) * count) }
        }
    }

    @Test func `under a constant load what is past takes no memory for long`() {
        var random = SeededGenerator(seed: 3)
        var table = ReplayTable()
        for minute in 1..<20 as Range<UInt32> {
            _ = table.advance(to: minute)
            for _ in 0..<1000 {
                _ = table.insert(random.next(), of: random.next(), until: minute + 5)
                let (bytes, count) = (table.byteCount, table.count)
                if minute > 6 { #expect(bytes <= 60 * count) }
            }
        }
    }

    @Test func `memory is given back in small pieces, when proofs are past`() {
        var random = SeededGenerator(seed: 2)
        var table = ReplayTable()
        for _ in 0..<20_000 { _ = table.insert(random.next(), of: random.next(), until: 1) }
        let most = table.byteCount
        _ = table.advance(to: 2)
        _ = table.insert(1 << 40, of: 1, until: 9)
        var steps = 0
        while table.isMoving {
            let before = table.byteCount
            // Replayed, and yet a step.
            let result = table.insert(1 << 40, of: 1, until: 9)
            let after = table.byteCount
            #expect(result == .replayed)
            // A block of each index, and at the end the list of its blocks.
            #expect(before - after <= 16_384)
            steps += 1
            guard steps < 5000 else { break }
        }
        #expect(steps > 100)
        #expect(steps < 1000)
        let least = table.byteCount
        #expect(least < most / 100)
        let isHeld = table.contains(1 << 40)
        #expect(isHeld)
    }

    @Test func `a time that goes back is not gone back to`() {
        var table = ReplayTable()
        _ = table.advance(to: 5)
        _ = table.insert(1, of: 1, until: 3)
        let forgotten = table.advance(to: 4)
        #expect(forgotten == 0)
        let (isHeld, count) = (table.contains(1), table.count(of: 1))
        #expect(isHeld)
        #expect(count == 1)
    }
}
