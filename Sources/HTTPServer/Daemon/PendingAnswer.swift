// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import Synchronization

/// The answer to one request, wherever it comes from: the handler, its deadline or the end of the listener.
///
/// The first answer counts, later ones are dropped. The thread that serves the connection either takes the answer at once
/// or suspends the connection; then whoever answers resumes it.
final class PendingAnswer: Sendable {
    private enum State {
        case open
        case suspended(ConnectionPointer)
        case answered(HTTPResponse)
        case taken
    }

    private let state = Mutex<State>(.open)

    /// Gives the answer, unless there is one.
    ///
    /// - Returns: Whether this was the first answer.
    @discardableResult
    func answer(_ response: HTTPResponse) -> Bool {
        state.withLock { state in
            switch state {
            case .open:
                state = .answered(response)
            case .suspended(let connection):
                state = .answered(response)
                connection.resume()
            case .answered, .taken:
                return false
            }
            return true
        }
    }

    /// Takes the answer if there is one.
    func take() -> HTTPResponse? {
        state.withLock { state in
            guard case .answered(let response) = state else { return nil }
            state = .taken
            return response
        }
    }

    /// Suspends the connection unless there is an answer; to be called by the thread that serves it.
    ///
    /// - Returns: Whether the connection is suspended now.
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
