// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc

/// A connection that the system has accepted and no thread serves yet.
struct AcceptedConnection: Sendable {
    private let descriptor: CInt
    private let address: sockaddr_storage
    private let addressLength: socklen_t
    let peer: ConnectionPeer

    /// The result of ``next(of:)``.
    enum Arrival {
        case connection(AcceptedConnection)
        /// No connection waits, or the socket is shut down.
        case none
        /// A connection may wait, but the system has no file descriptor or memory for it, or its network is down.
        case cannotBeAccepted
    }

    /// Accepts the connection that has waited longest; never blocks.
    ///
    /// - Parameters:
    ///   - socket: A non-blocking, listening socket.
    ///   - limits: Decide how its peer is treated.
    /// - Returns: The connection, or why there is none.
    static func next(of socket: CInt, limits: HTTPListenerLimits) -> Arrival {
        // Threads call this after each request, and usually no connection waits.
        while mayWait(at: socket) {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe keybound_accept(socket, $0, &length)
                }
            }
            if descriptor >= 0 {
                return .connection(
                    AcceptedConnection(
                        descriptor: descriptor,
                        address: address,
                        addressLength: length,
                        peer: peer(with: address, limits: limits)
                    )
                )
            }
            switch errno {
            case EAGAIN, EINVAL: return .none
            // The connection is gone, but there may be another one (accept(2)).
            case EINTR, ECONNABORTED, EPROTO, EPERM: continue
            default: return .cannotBeAccepted
            }
        }
        return .none
    }

    /// Whether a connection waits.
    ///
    /// The kernel creates a socket before it checks for a connection, so a futile accept costs ten times as much as a
    /// poll.
    static func mayWait(at socket: CInt) -> Bool {
        var question = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&question, 1, 0) != 0
    }

    private static func peer(with address: sockaddr_storage, limits: HTTPListenerLimits) -> ConnectionPeer {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe ConnectionPeer($0, limits: limits)
            }
        }
    }

    /// Hands the connection to a daemon.
    ///
    /// The daemon closes it, immediately if it cannot serve it.
    func join(_ daemon: OpaquePointer) {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe MHD_add_connection(daemon, descriptor, $0, addressLength)
            }
        }
    }

    /// Closes the connection; call it only if no daemon has it.
    func close() {
        Glibc.close(descriptor)
    }
}
#endif
