// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc
import Synchronization

/// Distributes the connections of a listening socket among the threads of a listener.
///
/// With the library's own accept, the thread that wakes first takes up to ten waiting connections while the other
/// threads stay idle. A proxy opens a few connections at once and keeps them, so one processor would serve them all.
/// Here, too, the thread that wakes first accepts, but each connection goes to a thread that has the fewest.
final class Acceptor: Sendable {
    /// How many connections a thread accepts before it serves those that it has.
    private static let batch = 16

    let inboxes: [ConnectionInbox]
    private let socket: CInt
    private let isShared: Bool
    private let places: ConnectionBalancer
    private let core: ListenerCore
    private let isOpen = Atomic<Bool>(true)
    /// Whether a connection may wait that could not be accepted.
    private let isStuck = Atomic<Bool>(false)

    /// Makes an acceptor; `nil` if the system has no file descriptors left.
    ///
    /// - Parameters:
    ///   - socket: A non-blocking, listening socket. The caller keeps it and closes it after the threads have ended.
    ///   - threads: How many threads there are.
    ///   - limit: The most connections of all threads together.
    ///   - core: Knows the connections of each address.
    init?(socket: ListeningSocket, threads: Int, limit: Int, core: ListenerCore) {
        self.socket = socket.descriptor
        isShared = socket.isShared
        self.core = core
        places = ConnectionBalancer(threads: threads, limit: limit)
        inboxes = (0..<threads).compactMap { _ in ConnectionInbox() }
        guard inboxes.count == threads else { return nil }
    }

    /// Wakes the thread of this daemon when there is a connection to accept.
    ///
    /// - Returns: Whether the system had memory for it.
    func attach(to daemon: OpaquePointer) -> Bool {
        unsafe keybound_add_listening(daemon, socket)
    }

    /// Accepts waiting connections, without blocking, and hands over those for other threads.
    ///
    /// - Parameters:
    ///   - thread: The thread that calls.
    ///   - serve: Gets the connections for this thread; their slots are taken.
    func accept(on thread: Int, serve: (AcceptedConnection) -> Void) {
        for _ in 0..<Self.batch {
            guard isOpen.load(ordering: .relaxed) else { return }
            guard places.take() else {
                // The thread that closes it accepts the one that waits.
                if AcceptedConnection.mayWait(at: socket) { core.connections.makeRoom() }
                return
            }
            guard let connection = nextConnection() else {
                if places.giveBack(of: nil) { continue }
                return
            }
            guard core.connections.admit(connection.peer) else {
                // An answer would cost more than the connection is worth.
                connection.close()
                places.giveBack(of: nil)
                continue
            }
            let chosen = places.give(askedBy: thread)
            if chosen == thread { serve(connection) } else { inboxes[chosen].put(connection) }
        }
        // The socket reports only once that connections wait.
        inboxes[thread].wakeup.wake()
    }

    /// Releases the slot of a closed connection; the thread then accepts again.
    func closed(on thread: Int) {
        places.giveBack(of: thread)
    }

    /// Retries a failed accept after some time.
    func retry() {
        if isStuck.exchange(false, ordering: .relaxed) { inboxes.first?.wakeup.wake() }
    }

    /// Accepts no more connections: waiting and new ones are refused.
    func stop() {
        isOpen.store(false, ordering: .relaxed)
        // Without it, the system would queue new connections for a server that is stopping.
        // One that the parent process opened stays open for the next process.
        if !isShared { shutdown(socket, CInt(SHUT_RDWR)) }
    }

    private func nextConnection() -> AcceptedConnection? {
        switch AcceptedConnection.next(of: socket, limits: core.limits) {
        case .connection(let connection): return connection
        case .none: return nil
        case .cannotBeAccepted:
            isStuck.store(true, ordering: .relaxed)
            return nil
        }
    }
}
#endif
