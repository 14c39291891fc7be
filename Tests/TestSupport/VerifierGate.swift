// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import BatchVerification
import Foundation
import Synchronization

/// The clock of a ``/BatchVerification/SignatureBatcher`` that blocks a verifying caller until it is opened, at most five minutes.
///
/// A single caller reads the clock when it starts and when it is done. The clock blocks it there, and all other callers
/// wait.
@available(macOS 15, iOS 18, *)
public final class VerifierGate: Sendable {
    private let readsToCome = Atomic<Int>(0)
    private let isHeld = Atomic<Bool>(false)
    private let isOpen = Atomic<Bool>(false)

    /// Makes a clock that blocks no caller yet.
    public init() {}

    /// The time, once the gate is open.
    public func now() -> ContinuousClock.Instant {
        if readsToCome.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
            isHeld.store(true, ordering: .sequentiallyConsistent)
            for _ in 0..<300_000 where !isOpen.load(ordering: .sequentiallyConsistent) { usleep(1000) }
        }
        return .now
    }

    /// Runs a task that is blocked, on its own thread.
    ///
    /// - Parameter body: The body of the task; it is blocked after the first signature that it has verified.
    /// - Returns: The task, once it is blocked.
    public func hold<Success: Sendable>(
        _ body: @escaping @Sendable () async throws -> Success
    ) async -> Task<Success, any Error> {
        isHeld.store(false, ordering: .sequentiallyConsistent)
        isOpen.store(false, ordering: .sequentiallyConsistent)
        readsToCome.store(2, ordering: .sequentiallyConsistent)
        let task = Task(executorPreference: CountingExecutor()) { try await body() }
        await Self.until { isHeld.load(ordering: .sequentiallyConsistent) }
        return task
    }

    /// Starts a task and waits until its signature is queued.
    ///
    /// - Parameters:
    ///   - batcher: The batcher with the queue.
    ///   - body: The body of the task.
    /// - Returns: The task, once one more caller waits than before.
    public func queue<Success: Sendable>(
        in batcher: SignatureBatcher,
        _ body: @escaping @Sendable () async throws -> Success
    ) async -> Task<Success, any Error> {
        let before = batcher.statistics.waiting
        let task = Task { @concurrent in try await body() }
        await Self.until { batcher.statistics.waiting > before }
        return task
    }

    /// Releases the blocked caller.
    public func open() { isOpen.store(true, ordering: .sequentiallyConsistent) }

    private static func until(_ condition: () -> Bool) async {
        for _ in 0..<300_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
#endif
