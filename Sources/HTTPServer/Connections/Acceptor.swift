// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc
import Synchronization

/// Shares the connections of a listening socket out among the threads of a listener.
///
/// The library would let the thread that wakes first have up to ten of those that wait, while the others go on waiting; so a
/// proxy's few connections, opened in one moment and kept for long, were all served by one processor. Here the thread that
/// wakes first accepts too, but each connection goes to a thread that has the fewest.
final class Acceptor: Sendable {
    /// How many connections a thread accepts before it looks after those that it has.
    private static let batch = 16

    let inboxes: [ConnectionInbox]
    private let socket: CInt
    private let places: ConnectionPlaces
    private let isOpen = Atomic<Bool>(true)
    /// A connection may wait that could not be accepted.
    private let isStuck = Atomic<Bool>(false)

    /// Makes an acceptor; `nil` when the system has no file descriptors to give.
    ///
    /// - Parameters:
    ///   - socket: Listens and does not block; stays the caller's, who closes it after the threads have ended.
    ///   - threads: How many threads there are.
    ///   - limit: The most connections of all threads together.
    init?(socket: CInt, threads: Int, limit: Int) {
        self.socket = socket
        places = ConnectionPlaces(threads: threads, limit: limit)
        inboxes = (0..<threads).compactMap { _ in ConnectionInbox() }
        guard inboxes.count == threads else { return nil }
    }

    /// From now on, a thread that waits for this daemon returns when there is something to accept.
    ///
    /// - Returns: Whether the system had memory for it.
    func attach(to daemon: OpaquePointer) -> Bool {
        unsafe keybound_add_listening(daemon, socket)
    }

    /// Accepts what waits, without blocking, and hands over what is for other threads.
    ///
    /// - Parameters:
    ///   - thread: The thread that calls.
    ///   - serve: Gets the connections that are for this thread; their places are taken.
    func accept(on thread: Int, serve: (AcceptedConnection) -> Void) {
        for _ in 0..<Self.batch {
            guard isOpen.load(ordering: .relaxed), places.take() else { return }
            guard let connection = nextConnection() else {
                if places.giveBack(of: nil) { continue }
                return
            }
            let chosen = places.give(askedBy: thread)
            if chosen == thread { serve(connection) } else { inboxes[chosen].put(connection) }
        }
        // The socket tells only once that connections wait.
        inboxes[thread].wakeup.wake()
    }

    /// Gives the place of a connection back that is closed; the thread then accepts again.
    func closed(on thread: Int) {
        places.giveBack(of: thread)
    }

    /// Tries again what failed, some time later.
    func retry() {
        if isStuck.exchange(false, ordering: .relaxed) { inboxes.first?.wakeup.wake() }
    }

    /// Accepts no more connections: those that wait, and new ones, are refused.
    func stop() {
        isOpen.store(false, ordering: .relaxed)
        // Otherwise the system would let new connections wait for a server that is going.
        shutdown(socket, CInt(SHUT_RDWR))
    }

    private func nextConnection() -> AcceptedConnection? {
        switch AcceptedConnection.next(of: socket) {
        case .connection(let connection): return connection
        case .none: return nil
        case .cannotBeAccepted:
            isStuck.store(true, ordering: .relaxed)
            return nil
        }
    }
}
#endif
