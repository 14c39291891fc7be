// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension Rounds {
    /// Measures seconds per call with many concurrent callers, in wall-clock time and in processor time.
    ///
    /// The reference is called from the same number of threads, each of which waits only for its own calls.
    @MainActor
    static func compareCallers(
        _ callers: Int,
        perTurn: Int,
        threads: Int,
        ours: @escaping @Sendable () async throws -> Void,
        reference: @escaping @Sendable (_ thread: Int, _ count: Int) throws -> Void
    ) async throws -> CallRounds {
        try await CallRounds(perTurn: perTurn) { isReference, calls in
            if isReference {
                try callBare(threads, total: calls, reference)
            } else {
                try await call(callers, total: calls, ours)
            }
        }
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
