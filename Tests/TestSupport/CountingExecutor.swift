// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Runs tasks on its own queue, and counts the jobs that it receives.
///
/// That is one per task, and one or two more for each suspension.
@available(macOS 15, iOS 18, *)
public final class CountingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "counted")
    private let jobs = Atomic<Int>(0)

    /// Makes an idle executor.
    public init() {}

    /// How many jobs it received.
    public var count: Int { jobs.load(ordering: .sequentiallyConsistent) }

    /// Enqueues a job of a task.
    ///
    /// - Parameter job: Runs until the task suspends or ends.
    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.add(1, ordering: .sequentiallyConsistent)
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a task to its end.
    ///
    /// - Parameter body: The body of the task.
    /// - Returns: 0 if it never suspended; otherwise at least the number of suspensions.
    /// - Throws: What it throws.
    public static func suspensions(of body: @escaping @Sendable () async throws -> Void) async throws -> Int {
        let executor = CountingExecutor()
        try await Task(executorPreference: executor) { try await body() }.value
        return executor.count - 1
    }
}
