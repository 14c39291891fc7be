// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import BatchVerification
import Foundation
import Synchronization

/// The clock of a ``/BatchVerification/SignatureBatcher`` that holds a caller who has verified, until it is opened, five minutes at most.
///
/// A caller who is alone reads the clock when he comes and when he is done: there he is held, and everybody else waits.
@available(macOS 15, iOS 18, *)
public final class VerifierGate: Sendable {
    private let readsToCome = Atomic<Int>(0)
    private let isHeld = Atomic<Bool>(false)
    private let isOpen = Atomic<Bool>(false)

    /// A clock that holds nobody yet.
    public init() {}

    /// The time, once the gate is open.
    public func now() -> ContinuousClock.Instant {
        if readsToCome.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
            isHeld.store(true, ordering: .sequentiallyConsistent)
            for _ in 0..<300_000 where !isOpen.load(ordering: .sequentiallyConsistent) { usleep(1000) }
        }
        return .now
    }

    /// Runs a task that is held, on a thread of its own.
    ///
    /// - Parameter body: What the task does; the first signature that it has verified is where it is held.
    /// - Returns: The task, when it is held.
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

    /// Starts a task and lets it come so far that its signature waits.
    ///
    /// - Parameters:
    ///   - batcher: Where it waits.
    ///   - body: What the task does.
    /// - Returns: The task, when one more caller waits than before.
    public func queue<Success: Sendable>(
        in batcher: SignatureBatcher,
        _ body: @escaping @Sendable () async throws -> Success
    ) async -> Task<Success, any Error> {
        let before = batcher.statistics.waiting
        let task = Task { @concurrent in try await body() }
        await Self.until { batcher.statistics.waiting > before }
        return task
    }

    /// Lets go of who is held.
    public func open() { isOpen.store(true, ordering: .sequentiallyConsistent) }

    private static func until(_ condition: () -> Bool) async {
        for _ in 0..<300_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
#endif
