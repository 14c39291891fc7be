// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Synchronization

/// Looks again at the secrets that several processes share, when a proof has a nonce that this process did not expect.
///
/// Without it, two nodes that each know another replay memory would reject the nonces of one another, and a client that a load
/// balancer sends to both in turn would get no further.
final class DPoPNonceLook: Sendable {
    /// Anyone can send such a nonce, and each look asks the store.
    private static let interval = Duration.milliseconds(250)

    private struct State {
        var look: (@Sendable () async -> Void)?
        var last: Timestamp?
        var running: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Sets what asks the store.
    func use(_ look: @escaping @Sendable () async -> Void) {
        state.withLock { $0.look = look }
    }

    /// Asks the store, or waits for the look that is running.
    ///
    /// - Returns: Whether there was one; `false` if the last one was a moment ago.
    func run(at now: Timestamp) async -> Bool {
        let task = state.withLock { state -> Task<Void, Never>? in
            if let running = state.running { return running }
            guard let look = state.look, Self.isDue(after: state.last, at: now) else { return nil }
            state.last = now
            let task = Task { [weak self] in
                await look()
                self?.end()
            }
            state.running = task
            return task
        }
        await task?.value
        return task != nil
    }

    private func end() {
        state.withLock { $0.running = nil }
    }

    private static func isDue(after last: Timestamp?, at now: Timestamp) -> Bool {
        guard let last else { return true }
        // A clock that was set back must not stop the looks.
        return now - last >= interval || now < last
    }
}
