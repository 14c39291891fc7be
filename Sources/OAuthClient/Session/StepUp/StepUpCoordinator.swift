// SPDX-License-Identifier: Apache-2.0

/// Runs the step-ups of a session one at a time, and limits them.
actor StepUpCoordinator {
    private struct Kind: Hashable {
        let origin: String
        let missing: Set<String>
    }

    /// A step-up, and how many calls wait for it.
    private struct Running {
        let task: Task<Void, any Error>
        var waiters = 0
    }

    /// The number of step-ups that have succeeded.
    private(set) var count = 0
    private var running: Running?
    private var limits: [Kind: BrowserLimit] = [:]

    /// Runs a step-up, or waits for the one that is running and shares its outcome.
    ///
    /// A call that is cancelled stops waiting at once. The step-up is cancelled with the last call that waits for it.
    ///
    /// - Parameters:
    ///   - seen: The number of step-ups when the call was sent. If there was one since, the call is just sent again.
    ///   - body: The step-up.
    /// - Returns: Whether this call ran it.
    /// - Throws: The error of the step-up, also for calls that waited for it.
    func run(
        unlessDoneSince seen: Int,
        _ body: @escaping @Sendable () async throws(OAuthClientError) -> Void
    ) async throws(OAuthClientError) -> Bool {
        while let running, running.waiters == 0 {
            // All who wanted it have gone, and it is about to end: its browser must be closed before the next one opens.
            try await Uncancelled.run { _ = await running.task.result }
        }
        if let running {
            try await wait(for: running.task)
            return false
        }
        guard seen == count else { return false }
        let task = Task {
            defer { running = nil }
            try await body()
            count += 1
        }
        running = Running(task: task)
        try await wait(for: task)
        return true
    }

    private func wait(for task: Task<Void, any Error>) async throws(OAuthClientError) {
        running?.waiters += 1
        defer { leave(task) }
        try await Uncancelled.run { () async throws(OAuthClientError) in try Self.outcome(of: await task.result) }
    }

    private func leave(_ task: Task<Void, any Error>) {
        guard running?.task == task else { return }
        running?.waiters -= 1
        if running?.waiters == 0 { task.cancel() }
    }

    /// Counts a step-up that is about to begin; returns whether it may.
    func mayBegin(_ need: StepUpNeed, at now: Duration) -> Bool {
        let kind = Kind(origin: need.origin, missing: Set(need.missing))
        var limit = limits[kind] ?? BrowserLimit()
        guard limit.allowsAnother(at: now) else { return false }
        limit.count(at: now)
        limits = limits.filter { !$0.value.isOver(at: now) }
        limits[kind] = limit
        return true
    }

    private static func outcome(of result: Result<Void, any Error>) throws(OAuthClientError) {
        do {
            try result.get()
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the user agent failed")
        }
    }
}
