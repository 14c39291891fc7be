// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Takes the outcome of a sign-in to the thread that serves the last page, and back that the page was fetched.
final class LoopbackOutcome: Sendable {
    private struct State {
        var outcome: LoopbackPage.Outcome?
        /// Whether the browser has the last page, or no caller has to wait for that any more.
        var isReleased = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let waker: WakeupPipe

    /// Makes an outcome that is not known yet.
    ///
    /// - Parameter waker: Wakes the thread when it is known.
    init(_ waker: WakeupPipe) {
        self.waker = waker
    }

    /// What the last page says; `nil` while it is not known.
    var known: LoopbackPage.Outcome? { state.withLock { $0.outcome } }

    /// Says what the last page says, and waits until the browser has fetched it, or need not be waited for.
    ///
    /// Only the first call counts.
    func conclude(_ outcome: LoopbackPage.Outcome) async {
        let isFirst = state.withLock { state in
            defer { state.outcome = state.outcome ?? outcome }
            return state.outcome == nil
        }
        if isFirst { waker.wake() }
        await withCheckedContinuation { continuation in
            let isReleased = state.withLock { state in
                if !state.isReleased { state.waiting.append(continuation) }
                return state.isReleased
            }
            if isReleased { continuation.resume() }
        }
    }

    /// Lets the callers of ``conclude(_:)`` go on.
    func release() {
        let waiting = state.withLock { state in
            state.isReleased = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
