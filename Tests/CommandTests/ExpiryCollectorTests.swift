// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite struct `Expiry collector` {
    private struct Broken: Error {}

    /// What happens to a collector, in its order.
    private final class Diary: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func write(_ line: String) {
            lines.withLock { $0.append(line) }
        }
    }

    /// Runs a collector until one of its steps cancels its task.
    ///
    /// - Parameters:
    ///   - last: The step, from 1, that cancels.
    ///   - delete: What a step does, with its number.
    /// - Returns: What happened, and how long it slept each time.
    private func run(
        until last: Int,
        delete: @escaping @Sendable (Int) throws -> Int
    ) async -> (events: [String], sleeps: [Duration]) {
        let (diary, sleeper) = (Diary(), SleepingClock())
        let collector = ExpiryCollector(clock: FixedClock()) { _, limit in
            let step = diary.all.count { $0.hasPrefix("step") } + 1
            diary.write("step of \(limit)")
            if step == last { unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() } }
            return try delete(step)
        }
        // In a task of its own: the test itself is not to be cancelled.
        await Task {
            await collector.run(
                sleepingOn: sleeper,
                counted: { diary.write("\($0) deleted") },
                report: { diary.write(String($0.prefix { $0 != ":" })) }
            )
        }.value
        return (diary.all, sleeper.sleeps)
    }

    @Test func `a collection that fails is reported, and tried again a minute later`() async {
        let (events, sleeps) = await run(until: 2) { step in
            if step == 1 { throw Broken() }
            return 3
        }
        #expect(events == ["step of 500", "expired records were not deleted", "step of 500", "3 deleted"])
        #expect(sleeps == [.seconds(60)])
    }

    @Test func `who stops it waits for one step only, however much there is`() async {
        let (events, sleeps) = await run(until: 3) { _ in 500 }
        #expect(events == Array(repeating: ["step of 500", "500 deleted"], count: 3).flatMap(\.self))
        #expect(sleeps.isEmpty)
    }
}
#endif
