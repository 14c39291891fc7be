// SPDX-License-Identifier: Apache-2.0

/// Work whose result several callers share, such as a sign-in: only one runs at a time.
///
/// A caller that is cancelled stops waiting at once. The work is cancelled with the last caller that waits for it.
actor SharedWork<Value: Sendable> {
    /// The work, and how many callers wait for it.
    private struct Running {
        let task: Task<Value, any Error>
        var waiters = 0
    }

    /// How often the work has succeeded.
    private(set) var count = 0
    private var running: Running?

    /// How many callers wait for the work that is running; for tests.
    var waiterCount: Int { running?.waiters ?? 0 }

    /// Runs the work, or joins the run in progress and shares its outcome.
    ///
    /// - Parameter body: The work.
    /// - Returns: The value of the work.
    /// - Throws: The error of the work; ``OAuthClientError/Code/cancelled`` as soon as the caller is cancelled.
    func run(
        _ body: @escaping @Sendable () async throws(OAuthClientError) -> Value
    ) async throws(OAuthClientError) -> Value {
        if let value = try await joined() { return value }
        return try await started(body)
    }

    /// Runs the work, or joins the run in progress, unless the work has succeeded since the caller began.
    ///
    /// - Parameters:
    ///   - seen: ``count`` when the caller began. If the work has succeeded since, nothing is run.
    ///   - body: The work.
    /// - Returns: Whether this call ran it.
    /// - Throws: The error of the work, also for callers that waited for it.
    func run(
        unlessDoneSince seen: Int,
        _ body: @escaping @Sendable () async throws(OAuthClientError) -> Value
    ) async throws(OAuthClientError) -> Bool {
        guard try await joined() == nil, seen == count else { return false }
        _ = try await started(body)
        return true
    }

    /// Waits for the work that is running; `nil` if there is none.
    private func joined() async throws(OAuthClientError) -> Value? {
        while let running, running.waiters == 0 {
            // All its callers have gone, and it is about to end: its browser must be closed before the next one opens.
            try await Uncancelled.run { () async throws(OAuthClientError) in _ = await running.task.result }
        }
        guard let running else { return nil }
        return try await wait(for: running.task)
    }

    private func started(
        _ body: @escaping @Sendable () async throws(OAuthClientError) -> Value
    ) async throws(OAuthClientError) -> Value {
        let task: Task<Value, any Error> = Task {
            defer { running = nil }
            let value = try await body()
            count += 1
            return value
        }
        running = Running(task: task)
        return try await wait(for: task)
    }

    private func wait(for task: Task<Value, any Error>) async throws(OAuthClientError) -> Value {
        running?.waiters += 1
        defer { leave(task) }
        return try await Uncancelled.run { () async throws(OAuthClientError) -> Value in
            try Self.value(of: await task.result)
        }
    }

    private func leave(_ task: Task<Value, any Error>) {
        guard running?.task == task else { return }
        running?.waiters -= 1
        if running?.waiters == 0 { task.cancel() }
    }

    private static func value(of result: Result<Value, any Error>) throws(OAuthClientError) -> Value {
        do {
            return try result.get()
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the user agent failed")
        }
    }
}
