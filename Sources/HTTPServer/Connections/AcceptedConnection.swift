// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc

/// A connection that the system has accepted, before a thread serves it.
struct AcceptedConnection: Sendable {
    private let descriptor: CInt
    private let peer: sockaddr_storage
    private let peerLength: socklen_t

    /// What became of ``next(of:)``.
    enum Arrival {
        case connection(AcceptedConnection)
        /// None waits, or the socket is shut down.
        case none
        /// One may wait, but the system has no file descriptor or memory for it, or its network is down.
        case cannotBeAccepted
    }

    /// Accepts the connection that has waited longest; never blocks.
    ///
    /// - Parameter socket: Listens and does not block.
    /// - Returns: The connection, or why there is none.
    static func next(of socket: CInt) -> Arrival {
        // Threads ask after each request, and mostly none waits.
        while mayWait(at: socket) {
            var peer = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe keybound_accept(socket, $0, &length)
                }
            }
            if descriptor >= 0 {
                return .connection(AcceptedConnection(descriptor: descriptor, peer: peer, peerLength: length))
            }
            switch errno {
            case EAGAIN, EINVAL: return .none
            // The connection is gone, there may be another one (accept(2)).
            case EINTR, ECONNABORTED, EPROTO, EPERM: continue
            default: return .cannotBeAccepted
            }
        }
        return .none
    }

    /// Whether it is of use to accept: the system makes a socket before it looks whether there is a connection for it, and
    /// takes ten times as long to say that there is none.
    private static func mayWait(at socket: CInt) -> Bool {
        var question = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&question, 1, 0) != 0
    }

    /// Hands the connection to a daemon, which closes it, at once when it cannot serve it.
    func join(_ daemon: OpaquePointer) {
        unsafe withUnsafePointer(to: peer) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe MHD_add_connection(daemon, descriptor, $0, peerLength)
            }
        }
    }

    /// Closes the connection, if no daemon has it.
    func close() {
        Glibc.close(descriptor)
    }
}
#endif
