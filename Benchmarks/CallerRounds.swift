// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension Rounds {
    /// Measures seconds for one call when many callers wait at once, by the clock on the wall and by processor time.
    ///
    /// The reference is called from so many threads, each of which waits for nothing but its calls.
    @MainActor
    static func compareCallers(
        _ callers: Int,
        perTurn: Int,
        threads: Int,
        ours: @escaping @Sendable () async throws -> Void,
        reference: @escaping @Sendable (_ thread: Int, _ count: Int) throws -> Void
    ) async throws -> CallRounds {
        if let profile {
            if profile.isReference { try reference(0, profile.operations) }
            if !profile.isReference { try await call(callers, total: profile.operations, ours) }
            return CallRounds(
                wall: Rounds(ours: [1], reference: [1]),
                processor: Rounds(ours: [1], reference: [1])
            )
        }
        var result = CallRounds()
        for round in 0...count {
            var spent = [(wall: 0.0, processor: 0.0), (wall: 0.0, processor: 0.0)]
            for _ in 0..<turns {
                for side in 0...1 {
                    let start = (wall: ThreadTime.wall(), processor: ThreadTime.process())
                    if side == 0 {
                        try callBare(threads, total: perTurn, reference)
                    } else {
                        try await call(callers, total: perTurn, ours)
                    }
                    spent[side].wall += ThreadTime.wall() - start.wall
                    spent[side].processor += ThreadTime.process() - start.processor
                }
            }
            guard round > 0 else { continue }
            let calls = Double(turns * perTurn)
            result.wall.reference.append(spent[0].wall / calls)
            result.wall.ours.append(spent[1].wall / calls)
            result.processor.reference.append(spent[0].processor / calls)
            result.processor.ours.append(spent[1].processor / calls)
        }
        return result
    }

    private static func call(
        _ callers: Int,
        total: Int,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask { for _ in 0..<total / callers { try await body() } }
            }
            try await group.waitForAll()
        }
    }

    private static func callBare(
        _ threads: Int,
        total: Int,
        _ body: @escaping @Sendable (_ thread: Int, _ count: Int) throws -> Void
    ) throws {
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            do { try body(thread, total / threads) } catch { failure.withLock { $0 = error } }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
