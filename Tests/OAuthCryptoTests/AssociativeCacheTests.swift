// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Testing

@Suite("What was used lately, found by a number")
struct AssociativeCacheTests {
    @Test func `a value is found until it is taken`() {
        var table = AssociativeCache<String>(capacity: 8)
        #expect(table.value(of: 7) == nil)
        #expect(table.put("seven", 7) == nil)
        #expect(table.value(of: 7) == "seven")
        #expect(table.value(of: 8) == nil)
        #expect(table.take(7) { $0 == "another" } == nil)
        #expect(table.take(7) { $0 == "seven" } == "seven")
        #expect(table.value(of: 7) == nil)
    }

    @Test func `several of one number lie side by side, and each can be taken`() {
        var table = AssociativeCache<Int>(capacity: 4)
        for value in 1...4 { #expect(table.put(value, 9) == nil) }
        #expect(Set((1...4).compactMap { _ in table.take(9) { _ in true } }) == [1, 2, 3, 4])
        #expect(table.take(9) { _ in true } == nil)
    }

    @Test func `who comes when all places are taken gets one of them, each in turn`() {
        var table = AssociativeCache<UInt64>(capacity: 4)
        for number in 1...4 as ClosedRange<UInt64> { #expect(table.put(number, number) == nil) }
        let lost = (5...8 as ClosedRange<UInt64>).compactMap { table.put($0, $0) }
        #expect(Set(lost) == [1, 2, 3, 4])
        for number in 5...8 as ClosedRange<UInt64> { #expect(table.value(of: number) == number) }
    }

    @Test func `it holds nearly as much as there is room for, whatever bits the numbers differ in`() {
        for shift in [0, 8, 32, 56] as [UInt64] {
            var table = AssociativeCache<UInt64>(capacity: 256)
            let numbers = (0..<64).map { UInt64($0) << shift }
            for number in numbers { _ = table.put(number, number) }
            #expect(numbers.count { table.value(of: $0) == $0 } >= 56, "shifted by \(shift)")
        }
    }

    @Test func `it never holds more than there is room for`() {
        var table = AssociativeCache<UInt64>(capacity: 16)
        var lost = 0
        for number in 0..<1000 as Range<UInt64> { if table.put(number, number) != nil { lost += 1 } }
        #expect((0..<1000 as Range<UInt64>).count { table.value(of: $0) == $0 } == 1000 - lost)
        #expect(lost >= 984)
    }

    @Test func `a number is recognised when it was noted lately, and never without`() {
        var numbers = SeenFilter(capacity: 4)
        let first = [0, 0, 16, 0, 16].map { numbers.note($0) }
        #expect(first == [false, true, false, true, true])
        let others = (1...100 as ClosedRange<UInt64>).map { numbers.note($0) }
        #expect(!others.contains(true))
        let again = (0...100 as ClosedRange<UInt64>).map { numbers.note($0) }
        // Four are remembered, and notes of others drive them out meanwhile.
        #expect(again.count { $0 } <= 4)
        #expect(!again[0])
    }

    @Test func `numbers that come in turns are all recognised, whatever bits they differ in`() {
        for shift in [0, 8, 32, 56] as [UInt64] {
            var numbers = SeenFilter(capacity: 1024)
            let rounds = (0..<3).map { _ in (0..<128).count { !numbers.note(UInt64($0) << shift) } }
            // One of two that share a place would never be.
            #expect(rounds == [128, 0, 0], "shifted by \(shift)")
        }
    }
}
