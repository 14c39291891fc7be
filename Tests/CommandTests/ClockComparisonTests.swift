// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite struct `Comparison of clocks` {
    private struct Away: Error {}

    /// A machine and a database, each with a clock, and what was deleted and reported.
    private final class Stage: Sendable {
        let machine = FixedClock()
        let database = FixedClock()
        let isAway = Mutex(false)
        private let deleted = Mutex(0)
        private let lines = Mutex<[String]>([])

        var deletions: Int { deleted.withLock { $0 } }
        var reports: [String] { lines.withLock { $0 } }

        func comparison() -> ClockComparison {
            ClockComparison(
                machine,
                with: {
                    if self.isAway.withLock({ $0 }) { throw Away() }
                    return self.database.now()
                },
                report: { line in self.lines.withLock { $0.append(line) } }
            )
        }

        /// Cleans once.
        func collect(_ comparison: ClockComparison) async throws {
            let delete = comparison.guarding { _, _ in
                self.deleted.withLock { $0 += 1 }
                return 0
            }
            try await ExpiryCollector(clock: machine, delete: delete).collect { _ in }
        }
    }

    @Test(arguments: [40 * 86_400, 61, -61, -40 * 86_400] as [Int64])
    func `a clock that is wrong deletes nothing, says so once, and deletes when it is right again`(
        seconds: Int64
    ) async throws {
        let stage = Stage()
        let comparison = stage.comparison()
        stage.machine.advance(by: .seconds(seconds))
        for _ in 0..<2 {
            try await stage.collect(comparison)
            #expect(await !comparison.agrees())
        }
        #expect(stage.deletions == 0)
        #expect(comparison.problem == ClockComparison.problem)
        #expect(stage.reports.count == 1)
        let side = seconds > 0 ? "is \(seconds) s ahead of that" : "is \(-seconds) s behind that"
        #expect(stage.reports.first?.contains(side) == true)
        await #expect(throws: CommandFailure.self) { try await comparison.requireAgreement() }

        stage.machine.set(to: stage.database.now())
        try await stage.collect(comparison)
        #expect(await comparison.agrees())
        #expect(stage.deletions == 1)
        #expect(comparison.problem == nil)
        try await comparison.requireAgreement()
    }

    @Test(arguments: [60, -60] as [Int64])
    func `clocks may differ by a minute`(seconds: Int64) async throws {
        let stage = Stage()
        let comparison = stage.comparison()
        stage.machine.advance(by: .seconds(seconds))
        try await stage.collect(comparison)
        #expect(stage.deletions == 1)
        #expect(comparison.problem == nil && stage.reports.isEmpty)
    }

    @Test func `while the clock of the database cannot be read, nothing is deleted`() async throws {
        let stage = Stage()
        let comparison = stage.comparison()
        stage.isAway.withLock { $0 = true }
        await #expect(throws: Away.self) { try await stage.collect(comparison) }
        #expect(await !comparison.agrees())
        #expect(stage.deletions == 0)
        // That the database is away is reported elsewhere.
        #expect(comparison.problem == nil && stage.reports.isEmpty)
    }

    @Test func `a time that was right when it was compared may be older when the answer comes`() async throws {
        let stage = Stage()
        let comparison = stage.comparison()
        let time = stage.machine.now()
        for clock in [stage.machine, stage.database] { clock.advance(by: .seconds(300)) }
        #expect(try await comparison.agrees(on: time))
    }

    @Test func `a database of one server alone needs no comparison`() async throws {
        let comparison = ClockComparison(FixedClock(), with: nil, report: { _ in })
        #expect(await comparison.agrees())
        try await comparison.requireAgreement()
    }
}
#endif
