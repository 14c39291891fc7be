// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("How far long work is")
struct ProgressMeterTests {
    private final class Output: Sendable {
        let text = Mutex("")

        func take() -> String {
            text.withLock { text in
                defer { text = "" }
                return text
            }
        }
    }

    private let clock = FixedElapsedTime()
    private let output = Output()

    private func meter(of total: Int?, at place: ProgressMeter.Place) -> ProgressMeter {
        ProgressMeter("copied", "rows", of: total, at: place, clock: clock) { [output] more in
            output.text.withLock { $0 += more }
        }
    }

    @Test func `on a terminal a bar is drawn ten times a second at most, and removed at the end`() {
        var meter = meter(of: 400, at: .terminal)
        meter.advance(by: 1)
        #expect(output.take().isEmpty)
        clock.advance(by: .seconds(2))
        meter.advance(by: 99)
        #expect(output.take() == "\r\u{1B}[K[######..................] copied 100 of 400 rows (25 %), about 6 s left")
        meter.advance(by: 100)
        #expect(output.take().isEmpty)
        meter.finish()
        #expect(output.take() == "\r\u{1B}[K")
    }

    @Test func `what is done at once leaves nothing`() {
        for place in [ProgressMeter.Place.terminal, .elsewhere, .nowhere] {
            var meter = meter(of: 10, at: place)
            meter.advance(by: 10)
            meter.finish()
            #expect(output.take().isEmpty)
        }
    }

    @Test func `elsewhere there is a line every ten seconds`() {
        var meter = meter(of: nil, at: .elsewhere)
        for _ in 0..<25 {
            clock.advance(by: .seconds(1))
            meter.advance(by: 2)
        }
        meter.finish()
        #expect(output.take() == "copied 20 rows\ncopied 40 rows\n")
    }

    @Test func `more than was counted before is not more than all`() {
        var meter = meter(of: 10, at: .elsewhere)
        clock.advance(by: .seconds(10))
        meter.advance(by: 20)
        #expect(output.take() == "copied 20 of 10 rows (100 %), about 0 s left\n")
    }

    @Test func `a quiet command shows none`() {
        var meter = meter(of: 10, at: .nowhere)
        clock.advance(by: .seconds(20))
        meter.advance(by: 5)
        #expect(output.take().isEmpty && meter.count == 5)
    }
}
