// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc
import Synchronization

/// The state that the listener keeps for one connection.
final class ConnectionRecord: Sendable {
    /// The IP literal of the peer; `nil` if the system did not report it.
    let peerAddress: String?
    private let descriptor: CInt
    /// Since when the connection waits for the client to send a request or to read a response; 0 while a handler runs.
    private let waitingSince: Atomic<Int64>

    init(_ connection: OpaquePointer) {
        descriptor =
            unsafe keybound_connection_info(connection, .CONNECTION_INFO_CONNECTION_FD)?.pointee.connect_fd ?? -1
        let address = unsafe keybound_connection_info(connection, .CONNECTION_INFO_CLIENT_ADDRESS)?.pointee
            .client_addr
        peerAddress = unsafe address.flatMap { unsafe Self.literal(of: $0) }
        waitingSince = Atomic(MonotonicClock.milliseconds())
    }

    func waitForClient() {
        waitingSince.store(MonotonicClock.milliseconds(), ordering: .relaxed)
    }

    func waitForHandler() {
        waitingSince.store(0, ordering: .relaxed)
    }

    /// Closes the connection if its client has kept it waiting since before a time.
    ///
    /// The socket must be open: the caller holds the lock that closing the connection takes first.
    func cutOff(ifWaitingSinceBefore time: Int64) {
        let since = waitingSince.load(ordering: .relaxed)
        if since != 0, since < time { shutdown(descriptor, CInt(SHUT_RDWR)) }
    }

    private static func literal(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let result: UnsafePointer<CChar>? =
            switch unsafe CInt(address.pointee.sa_family) {
            case AF_INET:
                unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    unsafe inet_ntop(AF_INET, &$0.pointee.sin_addr, &text, socklen_t(text.count))
                }
            case AF_INET6:
                unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    unsafe inet_ntop(AF_INET6, &$0.pointee.sin6_addr, &text, socklen_t(text.count))
                }
            default:
                nil
            }
        guard unsafe result != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
