// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import TestSupport
import Testing

@Suite("RFC 7519 section 2: NumericDate, arithmetic that saturates")
struct TimestampTests {
    private let earliest = Timestamp(millisecondsSince1970: .min)
    private let latest = Timestamp(millisecondsSince1970: .max)

    @Test func `seconds that cannot be represented become the nearest that can`() {
        #expect(Timestamp(secondsSince1970: .max) == latest)
        #expect(Timestamp(secondsSince1970: .min) == earliest)
        #expect(Timestamp(secondsSince1970: 1).millisecondsSince1970 == 1000)
        #expect(Timestamp(secondsSince1970: -1).millisecondsSince1970 == -1000)
    }

    @Test(
        arguments: [(0, 0), (999, 0), (1000, 1), (1001, 1), (-1, -1), (-999, -1), (-1000, -1), (-1001, -2)]
            as [(Int64, Int64)]
    )
    func `seconds are rounded down`(milliseconds: Int64, seconds: Int64) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).secondsSince1970 == seconds)
    }

    @Test func `adding and taking away does not overflow`() {
        #expect(latest + .seconds(1) == latest)
        #expect(earliest - .seconds(1) == earliest)
        #expect(latest + .seconds(Int64.max) == latest)
        #expect(earliest + .seconds(Int64.min) == earliest)
        #expect(Timestamp(secondsSince1970: 0) + .seconds(Int64.max) == latest)
        #expect(Timestamp(secondsSince1970: 0) - .seconds(Int64.max) == earliest)
        #expect(latest + .seconds(-1) == Timestamp(millisecondsSince1970: .max - 1000))
    }

    @Test(arguments: [0, 1, 302_399_999, 302_400_000, 302_231_454, 302_231_455, 1 << 40] as [Int64])
    func `parts of a millisecond are left out, of short durations and of long ones`(milliseconds: Int64) {
        let (zero, part) = (Timestamp(secondsSince1970: 0), Duration.nanoseconds(999_999))
        #expect((zero + (.milliseconds(milliseconds) + part)).millisecondsSince1970 == milliseconds)
        #expect((zero - (.milliseconds(milliseconds) + part)).millisecondsSince1970 == -milliseconds)
    }

    @Test func `a difference does not overflow and keeps its sign`() {
        #expect(latest - earliest > .seconds(0))
        #expect(earliest - latest < .seconds(0))
        #expect(latest - latest == .zero)
        #expect(Timestamp(secondsSince1970: 5) - Timestamp(secondsSince1970: 7) == .seconds(-2))
    }

    @Test func `adding a difference gives the later time, on generated times`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let range: ClosedRange<Int64> = -1 << 52...1 << 52
            let a = Timestamp(millisecondsSince1970: .random(in: range, using: &generator))
            let b = Timestamp(millisecondsSince1970: .random(in: range, using: &generator))
            #expect(a + (b - a) == b)
            #expect((a < b) == (b - a > .zero))
        }
    }

    @Test func `the system clock is past 2020`() {
        #expect(SystemWallClock().now() > Timestamp(secondsSince1970: 1_577_836_800))
    }
}
