// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// The argument of a daemon's callbacks.
final class DaemonContext: Sendable {
    let core: ListenerCore
    let acceptor: Acceptor
    /// The number of the thread that runs the daemon.
    let thread: Int
    /// Whether a connection is being added whose slot no callback will release yet.
    private let isAdding = Atomic<Bool>(false)

    init(core: ListenerCore, acceptor: Acceptor, thread: Int) {
        self.core = core
        self.acceptor = acceptor
        self.thread = thread
    }

    var inbox: ConnectionInbox { acceptor.inboxes[thread] }

    /// Adds a connection.
    ///
    /// Its slot is released when it closes, or now if it cannot be served.
    func add(_ connection: AcceptedConnection, to daemon: OpaquePointer) {
        isAdding.store(true, ordering: .relaxed)
        unsafe connection.join(daemon)
        guard isAdding.exchange(false, ordering: .relaxed) else { return }
        core.connections.abandoned(connection.peer)
        acceptor.closed(on: thread)
    }

    func connectionOpened(_ record: ConnectionRecord) {
        isAdding.store(false, ordering: .relaxed)
        core.connections.opened(record)
    }

    func connectionClosed(_ record: ConnectionRecord) {
        core.connections.closed(record)
        acceptor.closed(on: thread)
    }
}
#endif
