// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A listening socket on a loopback IP literal (RFC 8252 section 8.3).
package struct LoopbackListener {
    package let listening: LoopbackSocket
    /// The address and port as in a URL and a `Host` field: `127.0.0.1:49152`.
    package let authority: String

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter port: The port; 0 lets the operating system choose.
    /// - Returns: The listener; `nil` when the address or port is not available.
    package static func onIPv4(port: UInt16) -> LoopbackListener? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        guard let socket = open(AF_INET) else { return nil }
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard bind(socket, &address, length), let bound = chosenPort(socket, &address, length, \.sin_port) else {
            return nil
        }
        return LoopbackListener(listening: socket, authority: "127.0.0.1:\(bound)")
    }

    /// Listens on [::1].
    ///
    /// - Parameter port: The port; 0 lets the operating system choose.
    /// - Returns: The listener; `nil` when the address or port is not available.
    static func onIPv6(port: UInt16) -> LoopbackListener? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        guard let socket = open(AF_INET6) else { return nil }
        let length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        guard bind(socket, &address, length), let bound = chosenPort(socket, &address, length, \.sin6_port) else {
            return nil
        }
        return LoopbackListener(listening: socket, authority: "[::1]:\(bound)")
    }

    private static func open(_ family: Int32) -> LoopbackSocket? {
        #if canImport(Darwin)
        let descriptor = socket(family, SOCK_STREAM, 0)
        #else
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return nil }
        // A closed connection keeps its port for a minute, and a sign-in at a fixed port must not wait for it. Another
        // listener still excludes this one, and this one excludes every other: the address has only one listener.
        var on: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        return LoopbackSocket(adopting: descriptor)
    }

    private static func bind<Address>(_ socket: LoopbackSocket, _ address: inout Address, _ length: socklen_t) -> Bool {
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                #if canImport(Darwin)
                unsafe Darwin.bind(socket.descriptor, pointer, length)
                #elseif canImport(Glibc)
                unsafe Glibc.bind(socket.descriptor, pointer, length)
                #else
                unsafe Musl.bind(socket.descriptor, pointer, length)
                #endif
            }
        }
        return result == 0 && listen(socket.descriptor, 64) == 0
    }

    private static func chosenPort<Address>(
        _ socket: LoopbackSocket,
        _ address: inout Address,
        _ length: socklen_t,
        _ port: KeyPath<Address, in_port_t>
    ) -> UInt16? {
        var length = length
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe getsockname(socket.descriptor, pointer, &length)
            }
        }
        return result == 0 ? UInt16(bigEndian: address[keyPath: port]) : nil
    }
}
