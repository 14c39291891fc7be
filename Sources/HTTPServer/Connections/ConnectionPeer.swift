// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc
import HTTPMessage

/// Where a connection comes from.
struct ConnectionPeer: Sendable {
    /// The IP literal; `nil` if the system did not report it.
    let address: String?
    /// Whose share the connection counts against: the address, or the /64 of an IPv6 address; `nil` for none.
    let counted: IPAddress?
    let isTrusted: Bool
    /// Whether it came through a socket in the file system, whose mode says who may connect.
    let isLocal: Bool

    init(_ address: String?, isLocal: Bool = false, limits: HTTPListenerLimits) {
        self.address = address
        self.isLocal = isLocal
        let parsed = address.flatMap { IPAddress(parsing: $0) }
        isTrusted = isLocal || parsed.map { parsed in limits.trustedPeers.contains { $0.contains(parsed) } } ?? false
        counted = isTrusted || limits.connectionsPerPeer == nil ? nil : parsed?.subscriber
    }

    /// The peer with a socket address.
    init(_ address: UnsafePointer<sockaddr>, limits: HTTPListenerLimits) {
        self.init(
            unsafe Self.literal(of: address),
            isLocal: unsafe CInt(address.pointee.sa_family) == AF_UNIX,
            limits: limits
        )
    }

    /// The IP literal of a socket address.
    private static func literal(of address: UnsafePointer<sockaddr>) -> String? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let result: UnsafePointer<CChar>? =
            switch unsafe CInt(address.pointee.sa_family) {
            case AF_INET:
                unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    var address = unsafe address.pointee.sin_addr
                    return unsafe inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
                }
            case AF_INET6:
                unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    var address = unsafe address.pointee.sin6_addr
                    return unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
                }
            default:
                nil
            }
        guard unsafe result != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
