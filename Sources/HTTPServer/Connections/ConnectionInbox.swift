// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Connections for one thread that another thread accepted.
final class ConnectionInbox: Sendable {
    /// `nil` after the thread has ended.
    private let waiting = Mutex<[AcceptedConnection]?>([])
    let wakeup: Wakeup

    /// - Returns: `nil` if the system has no file descriptor left.
    init?() {
        guard let wakeup = Wakeup() else { return nil }
        self.wakeup = wakeup
    }

    deinit {
        wakeup.close()
    }

    /// Hands a connection to the thread; closes it if the thread has ended.
    func put(_ connection: AcceptedConnection) {
        let isTaken = waiting.withLock { waiting in
            waiting?.append(connection)
            return waiting != nil
        }
        if isTaken { wakeup.wake() } else { connection.close() }
    }

    func take() -> [AcceptedConnection] {
        waiting.withLock { waiting in
            defer { if waiting?.isEmpty == false { waiting = [] } }
            return waiting ?? []
        }
    }

    /// Closes the queued connections, and all that are added later.
    func close() {
        let rest = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for connection in rest { connection.close() }
    }
}
#endif
