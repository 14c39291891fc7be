// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension DispatchQueue {
    /// Runs a blocking function on a thread of this queue, not on the cooperative pool.
    ///
    /// When it returns, the queue no longer holds the function or its result: the last owner closes a device, and at
    /// the end of a process nothing waits for a queue thread that still owns one.
    ///
    /// `answer` decides when the caller resumes, by calling its argument; by default at once.
    func run<Value: Sendable>(
        answering answer: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
        _ body: @escaping @Sendable () throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        let result: Result<Value, KeyStoreError> = await withCheckedContinuation { continuation in
            let work = Work(body)
            async {
                work.perform()
                answer { continuation.resume(returning: work.takeResult()) }
            }
        }
        return try result.get()
    }
}

/// A function that runs once and whose result is taken once; it keeps neither.
private final class Work<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case waiting(@Sendable () throws(KeyStoreError) -> Value)
        case done(Result<Value, KeyStoreError>)
        case taken
    }

    private let state: Mutex<State>

    init(_ body: @escaping @Sendable () throws(KeyStoreError) -> Value) {
        state = Mutex(.waiting(body))
    }

    func perform() {
        // A queue runs a block once.
        guard case .waiting(let body) = take() else { preconditionFailure("done twice") }
        let result = Result(catching: body)
        state.withLock { $0 = .done(result) }
    }

    func takeResult() -> Result<Value, KeyStoreError> {
        // Taken once, after the work is done.
        guard case .done(let result) = take() else { preconditionFailure("not done, or taken twice") }
        return result
    }

    private func take() -> State {
        state.withLock { state in
            let current = state
            state = .taken
            return current
        }
    }
}
