// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Work that runs to its end even if its caller is cancelled.
///
/// A code or a refresh token that has left the device may be consumed: what the server answers must be stored or revoked.
enum Uncancelled {
    /// Starts work, and waits for it.
    ///
    /// - Parameters:
    ///   - abandoned: Gets the result if the caller was cancelled before it got it.
    ///   - body: The work.
    /// - Returns: The result of the work.
    /// - Throws: ``OAuthClientError/Code/cancelled`` as soon as the caller is cancelled, and what the work throws.
    static func run<Value: Sendable>(
        abandoned: @escaping @Sendable (Value) async -> Void = { _ in },
        _ body: @escaping @Sendable () async throws(OAuthClientError) -> Value
    ) async throws(OAuthClientError) -> Value {
        let waiter = Waiter<Value>()
        Task {
            do throws(OAuthClientError) {
                let value = try await body()
                if !waiter.settle(.success(value)) { await abandoned(value) }
            } catch {
                waiter.settle(.failure(error))
            }
        }
        return try await waiter.value()
    }

    /// Waits for a task that others may wait for too.
    ///
    /// - Throws: ``OAuthClientError/Code/cancelled`` as soon as the caller is cancelled; the task goes on.
    static func value<Value: Sendable>(of task: Task<Value, any Error>) async throws(OAuthClientError) -> Value {
        try await run { () async throws(OAuthClientError) in
            do {
                return try await task.value
            } catch {
                throw OAuthClientError(error, otherwise: .transportFailed, "the refresh failed")
            }
        }
    }

    /// Starts work, and waits for it for a limited time only, whether or not the caller is cancelled.
    static func attempt(atMost limit: Duration, _ body: @escaping @Sendable () async -> Void) async {
        let waiter = Waiter<Void>()
        let timer = Task {
            try await ContinuousClock().sleep(for: limit)
            waiter.settle(.success(()))
        }
        Task {
            await body()
            waiter.settle(.success(()))
        }
        await waiter.end()
        timer.cancel()
    }
}

/// A result that one task waits for, and that the first settlement decides.
private final class Waiter<Value: Sendable>: Sendable {
    private typealias Continuation = CheckedContinuation<Result<Value, OAuthClientError>, Never>

    private enum State {
        case open
        case awaited(Continuation)
        case settled(Result<Value, OAuthClientError>)
    }

    private let state = Mutex(State.open)

    /// Returns whether this settlement was the first.
    @discardableResult
    func settle(_ result: Result<Value, OAuthClientError>) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, Continuation?) in
            switch state {
            case .settled: return (false, nil)
            case .open:
                state = .settled(result)
                return (true, nil)
            case .awaited(let continuation):
                state = .settled(result)
                return (true, continuation)
            }
        }
        continuation?.resume(returning: result)
        return isFirst
    }

    func value() async throws(OAuthClientError) -> Value {
        let result = await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            settle(.failure(OAuthClientError(.cancelled, "the task was cancelled")))
        }
        return try result.get()
    }

    /// Waits for the settlement, and does not listen to cancellation.
    func end() async {
        _ = await wait()
    }

    private func wait() async -> Result<Value, OAuthClientError> {
        await withCheckedContinuation { continuation in
            let settled = state.withLock { state -> Result<Value, OAuthClientError>? in
                if case .settled(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }
}
