// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Runs tasks on a queue of its own, and counts how often one was given to it: once, and once or twice more for each time
/// that it was suspended.
@available(macOS 15, iOS 18, *)
public final class CountingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "counted")
    private let jobs = Atomic<Int>(0)

    /// Runs nothing yet.
    public init() {}

    /// How often a task was given to it.
    public var count: Int { jobs.load(ordering: .sequentiallyConsistent) }

    /// Takes a part of a task.
    ///
    /// - Parameter job: What runs until the task is suspended, or ends.
    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.add(1, ordering: .sequentiallyConsistent)
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a task to its end.
    ///
    /// - Parameter body: What the task does.
    /// - Returns: 0 when it was never suspended; else as much as it was suspended, or more.
    /// - Throws: What it throws.
    public static func suspensions(of body: @escaping @Sendable () async throws -> Void) async throws -> Int {
        let executor = CountingExecutor()
        try await Task(executorPreference: executor) { try await body() }.value
        return executor.count - 1
    }
}
