// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
import OAuthSystem
import Synchronization

/// Runs a system command without input and output.
///
/// Foundation's `Process` is not used: with more than about 1300 open descriptors it reads past the end of a buffer.
struct Subprocess: Sendable {
    /// The absolute path of the program, and its arguments; no shell is involved.
    let words: [String]
    /// All environment variables of the process.
    let environment: [String: String]

    /// Runs the command on its own thread.
    ///
    /// - Returns: Whether it was started and succeeded. Also `true` if it still runs when the task is cancelled, since
    ///   the command may have become the browser itself.
    func run() async -> Bool {
        let waiter = OneResponse()
        let hasStarted = DetachedThread.start {
            waiter.answer(SpawnedProcess(words, environment: environment)?.waitForEnd() == 0)
        }
        if !hasStarted { waiter.answer(false) }
        return await withTaskCancellationHandler {
            await waiter.value()
        } onCancel: {
            waiter.answer(true)
        }
    }
}

/// A result that is set once and awaited once, in either order.
private final class OneResponse: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Bool, Never>)
        case answered(Bool)
    }

    private let state = Mutex(State.open)

    func answer(_ value: Bool) {
        let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
            switch state {
            case .answered: return nil
            case .open:
                state = .answered(value)
                return nil
            case .waiting(let continuation):
                state = .answered(value)
                return continuation
            }
        }
        waiting?.resume(returning: value)
    }

    func value() async -> Bool {
        await withCheckedContinuation { continuation in
            let answered: Bool? = state.withLock { state in
                if case .answered(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let answered { continuation.resume(returning: answered) }
        }
    }
}
#endif
