// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Counts connections per thread: balances new ones and enforces the total limit.
final class ConnectionBalancer: Sendable {
    private struct State {
        /// Connections per thread.
        var given: [Int]
        /// Includes connections that have reserved a slot and may still arrive.
        var total = 0
        /// Whether a caller found no free slot.
        var wasFull = false
    }

    private let limit: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - threads: How many threads there are.
    ///   - limit: The most connections that there may be of all threads together, at least 1.
    init(threads: Int, limit: Int) {
        self.limit = limit
        state = Mutex(State(given: [Int](repeating: 0, count: threads)))
    }

    /// Reserves a slot for a connection that may arrive.
    ///
    /// - Returns: Whether there was one; the caller then assigns it to a thread or releases it.
    func take() -> Bool {
        state.withLock { state in
            guard state.total < limit else {
                state.wasFull = true
                return false
            }
            state.total += 1
            return true
        }
    }

    /// Assigns a reserved slot to a thread that has the fewest connections.
    ///
    /// - Parameter thread: The calling thread, which gets the connection if no other has fewer.
    /// - Returns: The number of the thread.
    func give(askedBy thread: Int) -> Int {
        state.withLock { state in
            var chosen = thread
            for index in state.given.indices where state.given[index] < state.given[chosen] { chosen = index }
            state.given[chosen] += 1
            return chosen
        }
    }

    /// Releases a slot.
    ///
    /// - Parameter thread: The thread to which it was assigned; `nil` if no connection arrived.
    /// - Returns: Whether a caller found no free slot in the meantime. A connection may then wait that the socket does
    ///   not report again.
    @discardableResult
    func giveBack(of thread: Int?) -> Bool {
        state.withLock { state in
            if let thread { state.given[thread] -= 1 }
            state.total -= 1
            defer { state.wasFull = false }
            return state.wasFull
        }
    }
}
#endif
