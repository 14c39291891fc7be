// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
// Also includes the socket headers; which of the two modules declares them depends on the order of loading.
import CMicroHTTPDShim
import Glibc

/// A bound, listening socket that child processes do not inherit.
struct ListeningSocket {
    let descriptor: CInt
    /// The port that was requested, or the one that the system chose.
    let port: UInt16
    /// Whether another process has it open too, so that it must not be shut down.
    let isShared: Bool
    private let file: SocketFile?

    /// Listens.
    ///
    /// - Parameter place: Where.
    /// - Throws: ``HTTPServerError/Code/invalidAddress``, ``HTTPServerError/Code/cannotListen``.
    init(_ place: ListeningAddress) throws(HTTPServerError) {
        switch place {
        case .network(let address, let port): try self.init(address: address, port: port)
        case .unixSocket(let path, let mode):
            let file = try SocketFile(path: path, mode: mode)
            self.init(descriptor: file.descriptor, port: 0, file: file)
        case .inherited(let descriptor): try self.init(inherited: descriptor)
        }
    }

    private init(descriptor: CInt, port: UInt16, isShared: Bool = false, file: SocketFile? = nil) {
        self.descriptor = descriptor
        self.port = port
        self.isShared = isShared
        self.file = file
    }

    /// Takes over a socket of the parent process.
    private init(inherited descriptor: CInt) throws(HTTPServerError) {
        var isListening: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening != 0
        else {
            throw HTTPServerError(.cannotListen, "descriptor \(descriptor) is no listening socket")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        let port = try Self.boundPort(of: descriptor, address: "an inherited socket", port: 0)
        self.init(descriptor: descriptor, port: port, isShared: true)
    }

    /// Closes the socket, and removes its file.
    func close() {
        file?.remove()
        Glibc.close(descriptor)
    }

    /// Listens.
    ///
    /// - Parameters:
    ///   - address: An IPv4 or IPv6 literal without brackets.
    ///   - port: The port; 0 for any that is free.
    /// - Throws: ``HTTPServerError/Code/invalidAddress``, ``HTTPServerError/Code/cannotListen``.
    private init(address: String, port: UInt16) throws(HTTPServerError) {
        var storage = sockaddr_storage()
        let length = try Self.fill(&storage, address: address, port: port)
        let descriptor = socket(CInt(storage.ss_family), CInt(SOCK_STREAM.rawValue) | Self.socketFlags, 0)
        guard descriptor >= 0 else { throw Self.error(errno, address, port) }
        do {
            try Self.bind(descriptor, to: storage, length: length, address: address, port: port)
            self.init(
                descriptor: descriptor,
                port: try Self.boundPort(of: descriptor, address: address, port: port)
            )
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Whether an address is an IP literal.
    ///
    /// This machine may still not have that address.
    static func isLiteral(_ address: String) -> Bool {
        var storage = sockaddr_storage()
        return (try? fill(&storage, address: address, port: 0)) != nil
    }

    static var socketFlags: CInt {
        CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    }

    private static func fill(
        _ storage: inout sockaddr_storage,
        address: String,
        port: UInt16
    ) throws(HTTPServerError) -> socklen_t {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if unsafe inet_pton(AF_INET, address, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: four, as: sockaddr_in.self) }
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        }
        if unsafe inet_pton(AF_INET6, address, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: six, as: sockaddr_in6.self) }
            return socklen_t(MemoryLayout<sockaddr_in6>.size)
        }
        throw HTTPServerError(
            .invalidAddress,
            "the address to listen on must be an IPv4 or IPv6 literal such as 127.0.0.1 or ::1, not a host name"
        )
    }

    private static func bind(
        _ descriptor: CInt,
        to storage: sockaddr_storage,
        length: socklen_t,
        address: String,
        port: UInt16
    ) throws(HTTPServerError) {
        var on: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        // Without this option, listening on :: would also take the IPv4 port, and peers would appear as ::ffff:1.2.3.4.
        if storage.ss_family == sa_family_t(AF_INET6) {
            _ = unsafe setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
        }
        let result = unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, length)
            }
        }
        guard result == 0, listen(descriptor, SOMAXCONN) == 0 else { throw error(errno, address, port) }
    }

    private static func boundPort(
        of descriptor: CInt,
        address: String,
        port: UInt16
    ) throws(HTTPServerError) -> UInt16 {
        var bound = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &bound) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { throw error(errno, address, port) }
        guard [AF_INET, AF_INET6].contains(CInt(bound.sin6_family)) else { return 0 }
        // The port has the same offset in both address structures.
        return UInt16(bigEndian: bound.sin6_port)
    }

    private static func error(_ number: CInt, _ address: String, _ port: UInt16) -> HTTPServerError {
        let advice =
            switch number {
            case EADDRINUSE: "another program uses the port; stop it or choose another port"
            case EACCES: "this user may not use the port; choose one from 1024 on, or give CAP_NET_BIND_SERVICE"
            case EADDRNOTAVAIL: "this machine does not have the address; choose one of its own, or 127.0.0.1"
            case EMFILE, ENFILE: "no file descriptor is left; raise the limit (ulimit -n)"
            default: "the system refused with error \(number)"
            }
        return HTTPServerError(.cannotListen, "cannot listen on \(address) port \(port): \(advice)")
    }
}
#endif
