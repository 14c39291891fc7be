// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Connections for a thread that another one accepted.
final class ConnectionInbox: Sendable {
    /// `nil` when the thread has ended.
    private let waiting = Mutex<[AcceptedConnection]?>([])
    let wakeup: Wakeup

    /// - Returns: `nil` when the system has no file descriptor to give.
    init?() {
        guard let wakeup = Wakeup() else { return nil }
        self.wakeup = wakeup
    }

    deinit {
        wakeup.close()
    }

    /// Gives a connection to the thread; closes it when the thread has ended.
    func put(_ connection: AcceptedConnection) {
        let isTaken = waiting.withLock { waiting in
            waiting?.append(connection)
            return waiting != nil
        }
        if isTaken { wakeup.wake() } else { connection.close() }
    }

    /// Takes what is there.
    func take() -> [AcceptedConnection] {
        waiting.withLock { waiting in
            defer { if waiting?.isEmpty == false { waiting = [] } }
            return waiting ?? []
        }
    }

    /// Closes what is there, and what will come.
    func close() {
        let rest = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for connection in rest { connection.close() }
    }
}
#endif
