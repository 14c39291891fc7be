// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension DispatchQueue {
    /// Does what blocks on a thread of this queue, not on one of the cooperative pool.
    ///
    /// When it returns, the queue holds nothing of the work any more: a device is closed by who lets go of it last, and at the
    /// end of a process nobody waits for a thread of a queue that still does.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        let result: Result<Value, KeyStoreError> = await withCheckedContinuation { continuation in
            let work = Work(body)
            async { continuation.resume(returning: work.perform()) }
        }
        return try result.get()
    }
}

/// What is done once, and let go of when it is done.
private final class Work<Value: Sendable>: Sendable {
    private let body: Mutex<(@Sendable () throws(KeyStoreError) -> Value)?>

    init(_ body: @escaping @Sendable () throws(KeyStoreError) -> Value) {
        self.body = Mutex(body)
    }

    func perform() -> Result<Value, KeyStoreError> {
        // A queue runs a block once.
        guard let body = body.withLock({ $0.take() }) else { preconditionFailure("done twice") }
        return Result(catching: body)
    }
}
