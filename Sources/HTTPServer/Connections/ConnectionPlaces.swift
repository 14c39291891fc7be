// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// How many connections each thread of a listener has, so that all get equally many, and together not too many.
final class ConnectionPlaces: Sendable {
    private struct State {
        /// Of each thread.
        var given: [Int]
        /// Those that may still come are among them.
        var total = 0
        /// Somebody found no place.
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

    /// Takes a place for a connection that may come.
    ///
    /// - Returns: Whether there was one; it is given to a thread next, or given back.
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

    /// Gives a place that was taken to a thread that has the fewest connections.
    ///
    /// - Parameter thread: The thread that asks, which gets the connection if none has fewer.
    /// - Returns: The number of the thread.
    func give(askedBy thread: Int) -> Int {
        state.withLock { state in
            var chosen = thread
            for index in state.given.indices where state.given[index] < state.given[chosen] { chosen = index }
            state.given[chosen] += 1
            return chosen
        }
    }

    /// Gives a place back.
    ///
    /// - Parameter thread: The thread that it was given to; `nil` when no connection came.
    /// - Returns: Whether somebody found no place meanwhile: then a connection may wait of which nobody will be told again.
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
