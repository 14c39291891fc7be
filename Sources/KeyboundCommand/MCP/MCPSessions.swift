// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// The session with the MCP server (MCP 2025-11-25, Session Management).
final class MCPSessions: Sendable {
    struct Session: Sendable, Hashable {
        /// What the server named the session; `nil` if it has none.
        var id: String?
        /// The revision that the server chose; `nil` before `initialize`.
        var version: String?
    }

    private let state = Mutex(Session())

    var current: Session { state.withLock { $0 } }

    /// Remembers a session that has begun.
    func begin(_ session: Session) {
        state.withLock { $0 = session }
    }

    /// Forgets a session that the server does not know any more, unless another one has begun.
    func forget(_ session: Session) {
        state.withLock { current in
            if current == session { current = Session() }
        }
    }
}
#endif
