// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import Synchronization

/// The response to one request.
///
/// It comes from the handler, its deadline or the end of the listener.
///
/// The first response counts, later ones are dropped. The thread that serves the connection either takes the response
/// at once or suspends the connection; the thread that then sets the response resumes it.
final class PendingResponse: Sendable {
    private enum State {
        case open
        case suspended(ConnectionPointer)
        case answered(HTTPResponse)
        case taken
    }

    private let state = Mutex<State>(.open)

    /// Sets the response, unless there is one.
    ///
    /// - Returns: Whether this was the first response.
    @discardableResult
    func answer(_ response: HTTPResponse) -> Bool {
        answer { response }
    }

    /// Makes and sets the response, unless there is one.
    ///
    /// - Parameter response: Runs under the lock: what it tells anybody is told before the client has the response.
    /// - Returns: Whether this was the first response.
    func answer(_ response: () -> HTTPResponse) -> Bool {
        state.withLock { state in
            switch state {
            case .open:
                state = .answered(response())
            case .suspended(let connection):
                state = .answered(response())
                connection.resume()
            case .answered, .taken:
                return false
            }
            return true
        }
    }

    /// Takes the response if there is one.
    func take() -> HTTPResponse? {
        state.withLock { state in
            guard case .answered(let response) = state else { return nil }
            state = .taken
            return response
        }
    }

    /// Suspends the connection unless there is a response; only the thread that serves the connection calls this.
    ///
    /// - Returns: Whether the connection is now suspended.
    func suspend(_ connection: ConnectionPointer) -> Bool {
        state.withLock { state in
            guard case .open = state else { return false }
            connection.suspend()
            state = .suspended(connection)
            return true
        }
    }
}
#endif
