// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Delays the completion of a device call until the device is busy with the next one.
///
/// The user of the device delivers the pending result as soon as the next command is sent, and before any other wait:
/// no result waits for a device that hangs.
final class DeferredResult: Sendable {
    private struct State {
        /// Calls that are queued or running.
        var calls = 0
        var answer: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Counts a queued call.
    func noteCall() {
        state.withLock { $0.calls += 1 }
    }

    /// Ends a call: keeps its result if another call follows, otherwise delivers it.
    @Sendable
    func endCall(_ answer: @escaping @Sendable () -> Void) {
        handOver()
        let isKept = state.withLock { state in
            state.calls -= 1
            guard state.calls > 0 else { return false }
            state.answer = answer
            return true
        }
        if !isKept { answer() }
    }

    /// Delivers the pending result, if there is one.
    func handOver() {
        let answer = state.withLock { $0.answer.take() }
        answer?()
    }
}
#endif
