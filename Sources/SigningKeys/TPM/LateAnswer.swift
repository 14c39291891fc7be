// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// The answer to a call of a device, kept until the device is busy with the next one.
///
/// Whoever uses the device hands over what is kept as soon as the next command is on its way, and before anything else is waited
/// for: no answer waits for a device that hangs.
final class LateAnswer: Sendable {
    private struct State {
        /// Calls that wait for their turn or have it.
        var calls = 0
        var answer: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Notes a call that is put into the queue.
    func noteCall() {
        state.withLock { $0.calls += 1 }
    }

    /// Ends a call: keeps its answer when another call follows, and hands it over when none does.
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

    /// Hands over what is kept, if anything is.
    func handOver() {
        let answer = state.withLock { $0.answer.take() }
        answer?()
    }
}
#endif
