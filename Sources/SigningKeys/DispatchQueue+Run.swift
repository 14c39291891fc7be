// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension DispatchQueue {
    /// Does what blocks on a thread of this queue, not on one of the cooperative pool.
    ///
    /// When it returns, the queue holds nothing of the work any more, nor of what came of it: a device is closed by who lets go of
    /// it last, and at the end of a process nobody waits for a thread of a queue that still does.
    ///
    /// `answer` decides when the caller goes on, by calling what it is given: at once unless it is said.
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

/// What is done once, whose result is taken once; nothing of either stays.
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
        // It is asked for once, when the work is done.
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
